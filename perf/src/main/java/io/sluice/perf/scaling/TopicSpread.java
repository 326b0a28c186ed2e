package io.sluice.perf.scaling;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * How a topic lies at one moment, as the server describes it.
 *
 * @param ranges segments of a scalable topic that take messages, or runs of an elastic topic's partitions
 * @param bytesIn by container, bytes per second
 */
record TopicSpread(int ranges, Map<Integer, Double> bytesIn) {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int TIMEOUT_MILLIS = 5_000;

    /**
     * Asks the server.
     *
     * @param http URL of its HTTP port
     * @param topic as its clients name it
     */
    static TopicSpread look(String http, String topic) throws IOException {
        String asked = http + "/sluice/topics/describe?topic=" + URLEncoder.encode(topic, StandardCharsets.UTF_8);
        var connection = (HttpURLConnection) URI.create(asked).toURL().openConnection();
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        try (var in = connection.getInputStream()) {
            return of(JSON.readTree(in));
        } finally {
            connection.disconnect();
        }
    }

    static TopicSpread of(JsonNode described) {
        boolean elastic = described.has("runs");
        Map<Integer, Double> bytesIn = new HashMap<>();
        int ranges = 0;
        for (JsonNode range : described.path(elastic ? "runs" : "segments")) {
            if (elastic || range.path("active").asBoolean()) {
                ranges++;
                if (range.has("container")) {
                    bytesIn.merge(
                            range.path("container").asInt(),
                            range.path("bytesInPerSecond").asDouble(),
                            Double::sum);
                }
            }
        }
        // a topic that was not used yet has nothing to list, and lies in one place
        return new TopicSpread(Math.max(1, ranges), bytesIn);
    }

    double total() {
        return bytesIn.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    double busiest() {
        return bytesIn.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }

    /** Containers that something is written to. */
    int containers() {
        return (int) bytesIn.values().stream().filter(bytes -> bytes > 0).count();
    }
}
