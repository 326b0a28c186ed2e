package io.sluice.kafka.connection;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;

/** The gateway's meters, resolved once; touched per request or per read from the socket, never per record. */
public final class GatewayMeters {
    /** APIs with a latency histogram; a fetch's latency includes the time that it waits for records. */
    private static final List<ApiKeys> TIMED = List.of(ApiKeys.PRODUCE, ApiKeys.FETCH);

    private static final Duration[] BOUNDS = Stream.of(
                    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final Map<ApiKeys, Counter> requests = new EnumMap<>(ApiKeys.class);
    private final Map<ApiKeys, Timer> times = new EnumMap<>(ApiKeys.class);
    final Counter bytesIn;
    final Counter bytesOut;
    final Counter badRequests;
    final Counter throttled;
    final AtomicInteger connections = new AtomicInteger();

    public GatewayMeters(MeterRegistry registry) {
        for (ApiKeys key : ApiKeys.clientApis()) {
            requests.put(
                    key,
                    Counter.builder("sluice.kafka.requests")
                            .description("requests taken")
                            .tag("api", key.name)
                            .register(registry));
        }
        for (ApiKeys key : TIMED) {
            times.put(
                    key,
                    Timer.builder("sluice.kafka.request")
                            .description("from a whole request to its answer; fetches wait for records, too")
                            .tag("api", key.name)
                            .serviceLevelObjectives(BOUNDS)
                            .register(registry));
        }
        bytesIn = counter(registry, "sluice.kafka.bytes.in", "bytes that clients sent");
        bytesOut = counter(registry, "sluice.kafka.bytes.out", "bytes that clients were sent");
        badRequests = counter(registry, "sluice.kafka.requests.bad", "connections closed for what they sent");
        throttled = counter(
                registry,
                "sluice.kafka.requests.throttled",
                "requests whose client was told to pause, because it is over its quota");
        Gauge.builder("sluice.kafka.connections", connections, AtomicInteger::get)
                .description("open connections")
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    /** An answer is handed to the socket. */
    void answered(ApiKeys key, long nanos) {
        Timer timer = times.get(key);
        if (timer != null) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    void request(ApiKeys key) {
        Counter counter = requests.get(key);
        if (counter != null) {
            counter.increment();
        }
    }
}
