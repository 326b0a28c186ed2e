package io.sluice.perf.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.sluice.perf.workload.Workload.KeyDistributor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Workloads as the OpenMessaging Benchmark publishes them. Durations may also be given in seconds
 * ({@code warmupDurationSeconds}, {@code testDurationSeconds}). Three keys are this program's own: {@code batching},
 * {@code tailSubscriptions} and {@code sharing} of {@link Workload}. Deliberate differences:
 *
 * <ul>
 *   <li>{@code producerRate: 0} is as fast as the client's own buffers allow; there it searches for a rate.
 *   <li>Payloads are random bytes that differ from record to record, whatever {@code payloadFile} and the keys beside it say:
 *       no client here looks into them, and a repeated text would flatter a system that compresses.
 * </ul>
 */
public final class WorkloadFile {
    /** Keys that say what payloads look like, and how often progress is logged. */
    private static final Set<String> WITHOUT_EFFECT = Set.of(
            "payloadFile",
            "useRandomizedPayloads",
            "randomBytesRatio",
            "randomizedPayloadPoolSize",
            "logIntervalMillis");

    private static final Set<String> KEYS = Set.of(
            "name",
            "topics",
            "partitionsPerTopic",
            "messageSize",
            "subscriptionsPerTopic",
            "consumerPerSubscription",
            "producersPerTopic",
            "producerRate",
            "keyDistributor",
            "consumerBacklogSizeGB",
            "warmupDurationMinutes",
            "warmupDurationSeconds",
            "testDurationMinutes",
            "testDurationSeconds",
            "batching",
            "tailSubscriptions",
            "sharing");

    private static final int DEFAULT_WARM_UP_SECONDS = 60;

    private final Path file;
    private final JsonNode keys;

    private WorkloadFile(Path file, JsonNode keys) {
        this.file = file;
        this.keys = keys;
    }

    /** @throws IOException whose message tells a user what is wrong with the file */
    public static Workload read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException("no workload file " + file);
        }
        try {
            JsonNode keys = new YAMLMapper().readTree(file.toFile());
            if (keys == null || !keys.isObject()) {
                throw new IOException(file + " has no keys");
            }
            return new WorkloadFile(file, keys).workload();
        } catch (JsonProcessingException e) {
            throw new IOException(file + " is not YAML: " + e.getOriginalMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private Workload workload() {
        keys.fieldNames().forEachRemaining(key -> {
            if (!KEYS.contains(key) && !WITHOUT_EFFECT.contains(key)) {
                throw new IllegalArgumentException("unknown key " + key);
            }
        });
        return new Workload(
                keys.path("name").asText(file.getFileName().toString().replaceFirst("\\.ya?ml$", "")),
                number("topics", 1),
                number("partitionsPerTopic", 1),
                number("messageSize"),
                number("subscriptionsPerTopic", 1),
                number("consumerPerSubscription", 1),
                number("producersPerTopic", 1),
                number("producerRate", 0),
                choice("keyDistributor", KeyDistributor.NO_KEY),
                keys.path("consumerBacklogSizeGB").asDouble(0),
                duration("warmupDuration", DEFAULT_WARM_UP_SECONDS),
                duration("testDuration", -1),
                choice("batching", Batching.STANDARD),
                number("tailSubscriptions", 0),
                choice("sharing", Sharing.PARTITIONS));
    }

    private int duration(String key, int otherwise) {
        if (keys.has(key + "Seconds")) {
            return number(key + "Seconds");
        }
        if (!keys.has(key + "Minutes") && otherwise >= 0) {
            return otherwise;
        }
        return Math.toIntExact(TimeUnit.MINUTES.toSeconds(number(key + "Minutes")));
    }

    private int number(String key, int otherwise) {
        return keys.has(key) ? number(key) : otherwise;
    }

    private int number(String key) {
        JsonNode value = keys.path(key);
        if (!value.canConvertToInt() || !value.isIntegralNumber()) {
            throw new IllegalArgumentException(
                    key + " is " + (value.isMissingNode() ? "missing" : value.asText() + ", want a whole number"));
        }
        return value.intValue();
    }

    private <E extends Enum<E>> E choice(String key, E otherwise) {
        String name = keys.path(key).asText(otherwise.name());
        E[] all = otherwise.getDeclaringClass().getEnumConstants();
        for (E each : all) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        throw new IllegalArgumentException(key + " is " + name + ", want one of " + Arrays.toString(all));
    }
}
