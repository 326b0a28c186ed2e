package io.sluice.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sluice.broker.memory.RequestMemory;
import io.sluice.server.containers.ServedContainers;
import io.sluice.server.containers.ServingListener;
import io.sluice.store.container.ContainerStats;
import io.sluice.store.pressure.Pressure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Figures over the store, read when they are scraped; docs/operations.md says what they mean. Counters begin again with
 * each term of a container; what is not served here is not a number, which a scrape leaves out, or 0 if it counts.
 */
public final class StoreMetrics {
    private static final String PREFIX = "sluice.container.";
    private static final String SECONDS = "seconds";

    private final MeterRegistry metrics;
    private final ServedContainers containers;
    private final int container;
    private final String tag;
    private final List<Meter> meters = new ArrayList<>();

    private StoreMetrics(MeterRegistry metrics, ServedContainers containers, int container) {
        this.metrics = metrics;
        this.containers = containers;
        this.container = container;
        this.tag = Integer.toString(container);
    }

    public static void bind(MeterRegistry metrics, ServedContainers containers) {
        Gauge.builder(
                        "sluice.containers.serving",
                        containers,
                        all -> all.served().size())
                .description("containers served by this process")
                .register(metrics);
        TakeOverMetrics.bind(metrics, containers);
        Map<Integer, StoreMetrics> bound = new ConcurrentHashMap<>();
        containers.onServing(new ServingListener() {
            @Override
            public void added(int container) {
                bound.computeIfAbsent(container, id -> new StoreMetrics(metrics, containers, id).bind());
            }

            @Override
            public void removed(int container) {
                StoreMetrics gone = bound.remove(container);
                if (gone != null) {
                    gone.meters.forEach(metrics::remove);
                }
            }

            @Override
            public void serving(int container) {}

            @Override
            public void stopped(int container) {}
        });
        containers
                .all()
                .forEach(id -> bound.computeIfAbsent(id, _ -> new StoreMetrics(metrics, containers, id).bind()));
    }

    private StoreMetrics bind() {
        gauge("segments", null, "segments served", ContainerStats::segments);
        counter("appended", BaseUnits.BYTES, "bytes appended", ContainerStats::appendedBytes);
        counter("append.refusals", null, "appends refused because the store was full", ContainerStats::refusedAppends);
        bytes(
                "untiered",
                "bytes that long-term storage lacks",
                stats -> stats.log().untieredBytes());
        bytes("log", "log that a recovery would read", stats -> stats.log().bytes());
        gauge("log.ledgers", null, "ledgers of the log", stats -> stats.log().ledgers());
        gauge(
                "log.inflight.writes",
                null,
                "log writes not acknowledged",
                stats -> stats.log().framesInFlight());
        bytes(
                "log.inflight",
                "log writes not acknowledged",
                stats -> stats.log().bytesInFlight());
        bytes("cache.used", "cache taken", ContainerStats::cacheUsedBytes);
        bytes("cache.capacity", "cache there is", ContainerStats::cacheCapacityBytes);
        counter("cache.hits", null, "reads that the cache answered", ContainerStats::cacheHits);
        counter("cache.misses", null, "reads of bytes that were not in the cache", ContainerStats::cacheMisses);
        gauge("append.delay", SECONDS, "what writers wait per MiB; +Inf: until there is room", StoreMetrics::delay);
        gauge(
                "log.write.expected",
                SECONDS,
                "what the next write to the log is expected to take",
                stats -> stats.log().expectedMicros() / 1e6);
        gauge("timers", null, "tasks that its loop has for later", ContainerStats::timers);
        counter("tier.reads", null, "reads from long-term storage", ContainerStats::tierReads);
        counter("tier.read.failures", null, "failed reads from long-term storage", ContainerStats::tierReadFailures);
        counter(
                "log.step.failures",
                null,
                "attempts to open or drop ledgers of the log that failed",
                ContainerStats::stepFailures);
        meters.add(FunctionTimer.builder(
                        PREFIX + "log.write",
                        containers,
                        _ -> (long) orElse(0, stats -> stats.log().writes()),
                        _ -> orElse(0, stats -> stats.log().writeMicros()),
                        TimeUnit.MICROSECONDS)
                .description("acknowledged writes to the log")
                .tag("container", tag)
                .register(metrics));
        return this;
    }

    private static double delay(ContainerStats stats) {
        return stats.delayMicros() == Pressure.CLOSED ? Double.POSITIVE_INFINITY : stats.delayMicros() / 1e6;
    }

    private void bytes(String name, String description, ToDoubleFunction<ContainerStats> figure) {
        gauge(name, BaseUnits.BYTES, description, figure);
    }

    public static void bind(MeterRegistry registry, RequestMemory requests) {
        Gauge.builder("sluice.requests.memory", requests, RequestMemory::used)
                .baseUnit(BaseUnits.BYTES)
                .description("requests under way and those that arrive, both protocols")
                .register(registry);
        Gauge.builder("sluice.requests.memory.limit", requests, RequestMemory::limit)
                .baseUnit(BaseUnits.BYTES)
                .description("what these may take; at it sockets are not read")
                .register(registry);
    }

    private void gauge(
            String name, @Nullable String unit, String description, ToDoubleFunction<ContainerStats> figure) {
        meters.add(Gauge.builder(PREFIX + name, containers, _ -> orElse(Double.NaN, figure))
                .description(description)
                .baseUnit(unit)
                .tag("container", tag)
                .register(metrics));
    }

    private void counter(
            String name, @Nullable String unit, String description, ToDoubleFunction<ContainerStats> figure) {
        meters.add(FunctionCounter.builder(PREFIX + name, containers, _ -> orElse(0, figure))
                .description(description)
                .baseUnit(unit)
                .tag("container", tag)
                .register(metrics));
    }

    private double orElse(double notServed, ToDoubleFunction<ContainerStats> figure) {
        ContainerStats stats = containers.stats(container);
        return stats == null ? notServed : figure.applyAsDouble(stats);
    }
}
