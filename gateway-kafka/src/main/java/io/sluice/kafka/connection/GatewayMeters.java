package io.sluice.kafka.connection;

import io.micrometer.core.instrument.Counter;
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
    final AtomicInteger connections;

    public GatewayMeters(MeterRegistry registry) {
        for (ApiKeys key : ApiKeys.clientApis()) {
            requests.put(key, registry.counter("sluice.kafka.requests", "api", key.name));
        }
        bytesIn = registry.counter("sluice.kafka.bytes.in");
        bytesOut = registry.counter("sluice.kafka.bytes.out");
        badRequests = registry.counter("sluice.kafka.requests.bad");
        connections = registry.gauge("sluice.kafka.connections", new AtomicInteger());
    }

    void request(ApiKeys key) {
        Counter counter = requests.get(key);
        if (counter != null) {
            counter.increment();
        }
    }
}
