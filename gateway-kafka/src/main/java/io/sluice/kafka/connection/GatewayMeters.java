package io.sluice.kafka.connection;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;

/** The gateway's meters, resolved once; touched per request or per read from the socket, never per record. */
public final class GatewayMeters {
    private final Map<ApiKeys, Counter> requests = new EnumMap<>(ApiKeys.class);
    final Counter bytesIn;
    final Counter bytesOut;
    final Counter badRequests;
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
        bytesIn = counter(registry, "sluice.kafka.bytes.in", "bytes that clients sent");
        bytesOut = counter(registry, "sluice.kafka.bytes.out", "bytes that clients were sent");
        badRequests = counter(registry, "sluice.kafka.requests.bad", "connections closed for what they sent");
        Gauge.builder("sluice.kafka.connections", connections, AtomicInteger::get)
                .description("open connections")
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    void request(ApiKeys key) {
        Counter counter = requests.get(key);
        if (counter != null) {
            counter.increment();
        }
    }
}
