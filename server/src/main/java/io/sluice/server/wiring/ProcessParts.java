package io.sluice.server.wiring;

import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.micrometer.core.instrument.binder.system.DiskSpaceMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Parts that every process with an HTTP port has. */
final class ProcessParts {
    private ProcessParts() {}

    /** A few threads, and no files. */
    static Vertx vertx() {
        // No file cache: it would be a folder outside the data folder, and no files are served.
        return Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(2)
                .setInternalBlockingPoolSize(2)
                .setPreferNativeTransport(true)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    }

    /** Binds meters of the process and of the disk that has {@code data}. */
    static AutoCloseable meters(PrometheusMeterRegistry metrics, Path data) {
        new JvmMemoryMetrics().bindTo(metrics);
        new ProcessorMetrics().bindTo(metrics);
        new UptimeMetrics().bindTo(metrics);
        new DiskSpaceMetrics(data.toFile()).bindTo(metrics);
        // Netty's default, which Kafka's connections have, need not be the pooled one, which all others name
        Stream.of(ByteBufAllocator.DEFAULT, PooledByteBufAllocator.DEFAULT)
                .distinct()
                .filter(ByteBufAllocatorMetricProvider.class::isInstance)
                .map(ByteBufAllocatorMetricProvider.class::cast)
                .forEach(allocator -> new NettyAllocatorMetrics(allocator).bindTo(metrics));
        var collections = new JvmGcMetrics();
        collections.bindTo(metrics);
        return collections;
    }
}
