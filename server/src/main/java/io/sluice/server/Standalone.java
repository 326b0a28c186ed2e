package io.sluice.server;

import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.http.HttpPort;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The whole server in one process, on one folder. Opened from the bottom up (folder, storage, Kafka, Pulsar, HTTP), closed
 * from the top down.
 */
final class Standalone implements AutoCloseable {
    private final Closing closing = new Closing();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Path data;
    private final Listeners listeners;
    private final Storage storage;

    private Standalone(ServerConfig config, Path folder, MemoryBudget memory) throws StartException {
        try {
            DataFolder dataFolder = closing.add(DataFolder.open(folder));
            data = dataFolder.root();
            ServerLog.into(data.resolve("logs"));
            // Vert.x takes a moment and depends on nothing, so it starts beside the storage.
            CompletableFuture<Vertx> vertx = CompletableFuture.supplyAsync(Standalone::vertx);
            storage = closing.add(Storage.open(config, data, memory));
            var metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            closing.add(processMetrics(metrics));
            StoreMetrics.bind(metrics, storage.containers());
            Vertx http = vertx.join();
            closing.add(() -> http.close().toCompletionStage().toCompletableFuture().get(2, TimeUnit.SECONDS));
            KafkaSide kafka = closing.add(KafkaSide.start(config, storage, memory, metrics));
            PulsarSide pulsar = closing.add(PulsarSide.start(config, storage, memory, metrics));
            HttpPort port = closing.add(openHttp(config, http, metrics, pulsar));
            listeners = new Listeners(kafka.address(), pulsar.address(), httpHost(config) + ":" + port.port());
            pulsar.httpAt("http://" + listeners.http());
        } catch (Throwable e) {
            closing.close();
            throw e;
        }
    }

    static Standalone start(ServerConfig config, Path folder, MemoryBudget memory) throws StartException {
        return new Standalone(config, folder, memory);
    }

    private static Vertx vertx() {
        // No file cache: it would be a folder outside the data folder, and no files are served.
        return Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(2)
                .setInternalBlockingPoolSize(2)
                .setPreferNativeTransport(true)
                .setFileSystemOptions(new FileSystemOptions()
                        .setFileCachingEnabled(false)
                        .setClassPathResolvingEnabled(false)));
    }

    private HttpPort openHttp(ServerConfig config, Vertx vertx, PrometheusMeterRegistry metrics, PulsarSide pulsar)
            throws StartException {
        ServerConfig.Http http = config.http();
        try {
            return HttpPort.open(
                    vertx, http.host(), http.port(), storage.containers()::allServing, metrics, pulsar::mountAdmin);
        } catch (IOException e) {
            throw new StartException(PortInUse.line("http", http.host(), http.port(), e));
        }
    }

    private static String httpHost(ServerConfig config) {
        ServerConfig.Http http = config.http();
        return http.advertisedHost().isEmpty() ? http.host() : http.advertisedHost();
    }

    private static AutoCloseable processMetrics(PrometheusMeterRegistry metrics) {
        new JvmMemoryMetrics().bindTo(metrics);
        new ProcessorMetrics().bindTo(metrics);
        var collections = new JvmGcMetrics();
        collections.bindTo(metrics);
        return collections;
    }

    Listeners listeners() {
        return listeners;
    }

    Path dataFolder() {
        return data;
    }

    /** Returns once {@link #close} has run. */
    void awaitClosed() {
        closed.join();
    }

    @Override
    public void close() {
        closing.close();
        closed.complete(null);
    }
}
