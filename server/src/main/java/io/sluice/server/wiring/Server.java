package io.sluice.server.wiring;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.broker.memory.RequestMemory;
import io.sluice.broker.topic.WriteGate;
import io.sluice.pulsar.registry.SchemaServices;
import io.sluice.pulsar.websocket.WebSocketApi;
import io.sluice.server.admin.BalanceRoutes;
import io.sluice.server.admin.ContainerRoutes;
import io.sluice.server.admin.ToController;
import io.sluice.server.admin.TopicAdminRoutes;
import io.sluice.server.config.ConfigException;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.Program;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.config.Ways;
import io.sluice.server.http.HttpGate;
import io.sluice.server.http.HttpPort;
import io.sluice.server.http.HttpTls;
import io.sluice.server.metrics.CompactionMetrics;
import io.sluice.server.metrics.KnownFigures;
import io.sluice.server.metrics.StoreMetrics;
import io.sluice.server.metrics.TierMetrics;
import io.sluice.server.metrics.TopicMetrics;
import io.sluice.server.trace.TraceRoute;
import io.sluice.store.container.VirtualThreads;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.ext.web.Route;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The whole server in one process. Opened from the bottom up (folder, storage, Kafka, Pulsar, HTTP), closed
 * from the top down.
 */
public final class Server implements AutoCloseable {
    private final Closing closing = new Closing();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final HttpGate gate;
    private final Path data;
    private final Listeners listeners;
    private final List<Route> routes;
    private final Storage storage;
    private volatile boolean serving;

    /** @param leastFreeBytes of the folder's disk */
    private Server(
            ServerConfig config, Path folder, MemoryBudget memory, long leastFreeBytes, Foundation.Opener foundation)
            throws StartException {
        try {
            ServerLog.show(config.log().output());
            DataFolder dataFolder = closing.add(DataFolder.open(folder, leastFreeBytes));
            data = dataFolder.root();
            ServerLog.into(data.resolve("logs"));
            var metrics = KnownFigures.registry();
            // HTTP takes a moment and depends on nothing, so it starts beside the storage.
            gate = new HttpGate(
                    config.http().authentication().isEmpty() ? ListenerSecurity.OPEN : null, new VirtualThreads());
            CompletableFuture<Http> http = CompletableFuture.supplyAsync(() -> openHttp(config, metrics));
            storage = closing.add(Storage.open(config, data, memory, foundation));
            HttpPort port = closing.add(joined(http)).port();
            closing.add(ProcessParts.meters(metrics, data));
            StoreMetrics.bind(metrics, storage.containers());
            storage.lostBytes().bind(metrics);
            TierMetrics.bind(metrics, storage.tierTraffic());
            CompactionMetrics.bind(metrics, storage.compaction().counters());
            storage.cluster().advertise(ClusterNode.HTTP, advertised(config.http(), port.port()));
            SecuritySide security = closing.add(SecuritySide.open(config.security(), storage.metadata()));
            gate.open(security.ofHttp(
                    config.http().tls(), Ways.of("http.", config.http().authentication()), port));
            QuotaSide quotas = closing.add(QuotaSide.open(storage.metadata()));
            var requests = new RequestMemory(memory.inFlightRequestBytes());
            StoreMetrics.bind(metrics, requests);
            SchemaServices schemas = closing.add(
                    SchemaServices.open(storage.metadata(), storage.broker().catalogue(), new VirtualThreads()));
            var writes = new WriteGate();
            KafkaSide kafka = closing.add(KafkaSide.start(
                    config, storage, security, quotas, schemas.prefixes(), writes, memory, requests, metrics));
            closing.add(TopicMetrics.start(metrics, storage.broker(), kafka.groups()));
            BalanceRounds balance = closing.add(BalanceRounds.start(config, storage, metrics));
            PulsarSide pulsar = closing.add(PulsarSide.start(
                    config,
                    storage,
                    security,
                    quotas,
                    kafka.authority(),
                    kafka.positions(),
                    schemas,
                    writes,
                    requests,
                    memory.inFlightRequestBytes() / 2,
                    metrics));
            port.mount(pulsar::mountAdmin);
            port.mount(
                    new ContainerRoutes(storage.containerCount(), security.authorizer(), new VirtualThreads())::mount);
            var toController = new ToController(storage.cluster(), Listeners.httpScheme(config));
            port.mount(
                    new TopicAdminRoutes(
                            storage.broker(),
                            balance.scaling(),
                            security.authorizer(),
                            new VirtualThreads(),
                            toController)::mount);
            port.mount(new BalanceRoutes(
                    balance.balance(), balance.count(), balance.scaling(), security.authorizer(), toController)::mount);
            port.mount(new TraceRoute(security.authorizer(), new VirtualThreads())::mount);
            listeners = Listeners.of(storage.cluster().self(), config);
            routes = port.routes();
            storage.started();
            serving = true;
        } catch (Throwable e) {
            closing.close();
            throw e;
        }
    }

    /** Starts a server with everything in its folder but, perhaps, the tier. */
    public static Server standalone(ServerConfig config, Path folder, MemoryBudget memory) throws StartException {
        check(Program.STANDALONE, config);
        return new Server(
                config,
                folder,
                memory,
                BookieSettings.DEFAULT.minFreeBytes(),
                (data, traffic) -> new EmbeddedFoundation(config, data, memory, traffic));
    }

    /**
     * Starts a server over metadata, bookies and a tier of their own; waits while another node serves them.
     *
     * @param folder for the log file, and for what has been acknowledged before its sync
     */
    public static Server node(ServerConfig config, Path folder, MemoryBudget memory) throws StartException {
        check(Program.SERVER, config);
        return new Server(
                config, folder, memory, 0, (_, traffic) -> new ClusterFoundation(config, memory, traffic, null));
    }

    /**
     * Starts a server and a bookie in one process; the server waits until there are enough bookies, and while another node serves the store.
     *
     * @param folder for the bookie's journal, too
     */
    public static Server nodeWithBookie(ServerConfig config, Path folder, MemoryBudget memory) throws StartException {
        check(Program.SERVER, config);
        return new Server(
                config,
                folder,
                memory,
                0,
                (data, traffic) -> new ClusterFoundation(
                        config,
                        memory,
                        traffic,
                        BookieProgram.settings(
                                config.bookie(),
                                data.resolve("bookie"),
                                memory.bookieBytes(),
                                BookieCertificates.of(
                                        "bookkeeper.tls", config.bookkeeper().tls()))));
    }

    private static void check(Program program, ServerConfig config) throws StartException {
        try {
            program.check(config);
        } catch (ConfigException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        }
    }

    private record Http(Vertx vertx, HttpPort port) implements AutoCloseable {
        @Override
        public void close() throws Exception {
            port.close();
            vertx.close().toCompletionStage().toCompletableFuture().get(2, TimeUnit.SECONDS);
        }
    }

    private Http openHttp(ServerConfig config, PrometheusMeterRegistry metrics) {
        HttpTls tls = tls(config);
        Vertx vertx = ProcessParts.vertx();
        ServerConfig.Http http = config.http();
        try {
            int largest = WebSocketApi.largestMessage(config.pulsar().maxMessageBytes());
            return new Http(
                    vertx, HttpPort.open(vertx, http.host(), http.port(), tls, gate, largest, this::ready, metrics));
        } catch (IOException e) {
            vertx.close();
            throw new CompletionException(new StartException(PortInUse.line("http", http.host(), http.port(), e)));
        }
    }

    /** Null for none. Its files can be used. */
    private static @Nullable HttpTls tls(ServerConfig config) {
        if (!config.http().tls()) {
            return null;
        }
        Set<Authentication> ways = Ways.of("http.", config.http().authentication());
        // Health and readiness ask nobody.
        ClientAuth clients = ways.contains(Authentication.CERTIFICATE) ? ClientAuth.REQUEST : ClientAuth.NONE;
        TlsFiles files = SecuritySide.files(config.security(), ways);
        try {
            files.keyManagers();
            return new HttpTls(files, clients);
        } catch (IOException e) {
            throw new CompletionException(new StartException("http.tls: " + e.getMessage()));
        }
    }

    private static Http joined(CompletableFuture<Http> http) throws StartException {
        try {
            return http.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StartException known) {
                throw known;
            }
            throw e;
        }
    }

    /** Null if all is well, else what is not, in one line. */
    private CompletableFuture<@Nullable String> ready() {
        return serving ? storage.health().ask() : CompletableFuture.completedFuture("the server starts or stops");
    }

    private static Endpoint advertised(ServerConfig.Http http, int bound) {
        return new Endpoint(
                http.advertisedHost().isEmpty() ? http.host() : http.advertisedHost(),
                http.advertisedPort() == 0 ? bound : http.advertisedPort());
    }

    /** All HTTP routes. */
    List<Route> routes() {
        return routes;
    }

    public Listeners listeners() {
        return listeners;
    }

    public Path dataFolder() {
        return data;
    }

    /**
     * Returns once {@link #close} has run.
     *
     * @throws StartException the server can serve no longer, and why; it is still to be closed
     */
    public void awaitClosed() throws StartException {
        CompletableFuture.anyOf(closed, storage.broken()).join();
        if (!closed.isDone()) {
            throw new StartException(storage.broken().join());
        }
    }

    public Storage storage() {
        return storage;
    }

    @Override
    public void close() {
        serving = false;
        storage.drain();
        closing.close();
        closed.complete(null);
    }
}
