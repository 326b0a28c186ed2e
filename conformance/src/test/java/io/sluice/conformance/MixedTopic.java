package io.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Messages that clients of both protocols write to one topic, and how each protocol's readers see them by {@code docs/two-protocols.md}. */
final class MixedTopic {
    private static final int MESSAGES = 30;

    private final List<KafkaView> kafka = new ArrayList<>();
    private final List<PulsarView> pulsar = new ArrayList<>();

    MixedTopic(long seed) {
        Random random = new Random(seed);
        for (int n = 0; n < MESSAGES; n++) {
            kafka.add(record(random, n));
            pulsar.add(message(random, n));
        }
    }

    private static KafkaView record(Random random, int n) {
        String key = switch (n % 4) {
            case 0 -> null;
            case 1 -> base64(bytes(random, 8));
            default -> base64(("schlüssel-" + n).getBytes(UTF_8));
        };
        List<Header> headers = new ArrayList<>();
        headers.add(new Header("n", text("" + n)));
        headers.add(new Header("größe", text("ü & = " + n)));
        if (n % 3 == 0) {
            headers.add(new Header("n", text("again")));
            headers.add(new Header("binary", base64(new byte[] {(byte) 0xff, 0})));
            headers.add(new Header("none", null));
        }
        String value = n % 5 == 4 ? null : base64(bytes(random, n * n * 10));
        return new KafkaView(key, value, headers);
    }

    private static PulsarView message(Random random, int n) {
        Map<String, String> properties = new HashMap<>(Map.of("n", "" + n, "größe", "ü & = " + n, "empty", ""));
        return new PulsarView(n % 4 == 0 ? null : "schlüssel-" + n, base64(bytes(random, 1 + n * n * 10)), properties);
    }

    private static byte[] bytes(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    /** As Kafka clients write them. */
    List<KafkaView> kafka() {
        return kafka;
    }

    /** As Pulsar clients write them. */
    List<PulsarView> pulsar() {
        return pulsar;
    }

    /** For the programs in {@code clients}. */
    Map<String, Object> json() {
        return Map.of(
                "kafka", kafka.stream().map(KafkaView::json).toList(),
                "pulsar", pulsar.stream().map(PulsarView::json).toList());
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static String text(String text) {
        return base64(text.getBytes(UTF_8));
    }

    private static byte[] bytes(String base64) {
        return Base64.getDecoder().decode(base64);
    }

    private static boolean isUtf8(byte[] bytes) {
        return Arrays.equals(new String(bytes, UTF_8).getBytes(UTF_8), bytes);
    }

    /** @param value Base64 */
    record Header(String name, @Nullable String value) {}

    /** A message as Kafka clients see it; all but the headers' names is Base64. */
    record KafkaView(@Nullable String key, @Nullable String value, List<Header> headers) {
        /** For the programs in {@code clients}. */
        Map<String, Object> json() {
            Map<String, Object> json = new HashMap<>();
            json.put("key", key);
            json.put("value", value);
            List<List<Object>> pairs = new ArrayList<>();
            for (Header header : headers) {
                List<Object> pair = new ArrayList<>();
                pair.add(header.name());
                pair.add(header.value());
                pairs.add(pair);
            }
            json.put("headers", pairs);
            return json;
        }

        /** Without the header of fields that Kafka does not have; properties have no order in some of Pulsar's clients. */
        KafkaView ofPulsar() {
            if (headers.stream()
                            .filter(each -> each.name().equals("pulsar.message"))
                            .count()
                    != 1) {
                throw new AssertionError("no fields of Pulsar: " + this);
            }
            List<Header> properties = headers.stream()
                    .filter(each -> !each.name().equals("pulsar.message"))
                    .sorted(Comparator.comparing(Header::name))
                    .toList();
            return new KafkaView(key, value, properties);
        }

        /** As Pulsar's clients see it: bytes of a key as Base64, headers as properties. */
        PulsarView inPulsar() {
            String shown = key == null ? null : isUtf8(bytes(key)) ? new String(bytes(key), UTF_8) : key;
            return new PulsarView(shown, value, properties());
        }

        private Map<String, String> properties() {
            Map<String, Integer> times = new HashMap<>();
            headers.forEach(header -> times.merge(header.name(), 1, Integer::sum));
            Map<String, String> properties = new LinkedHashMap<>();
            List<String> all = new ArrayList<>();
            boolean list = false;
            for (Header header : headers) {
                String name = URLEncoder.encode(header.name(), UTF_8);
                byte[] value = header.value() == null ? null : bytes(header.value());
                if (value != null && times.getOrDefault(header.name(), 0) == 1 && isUtf8(value)) {
                    properties.put(header.name(), new String(value, UTF_8));
                    all.add(name);
                } else {
                    list = true;
                    all.add(name + "="
                            + (value == null
                                    ? "*"
                                    : Base64.getUrlEncoder().withoutPadding().encodeToString(value)));
                }
            }
            if (list) {
                properties.put("kafka.headers", String.join("&", all));
            }
            return properties;
        }
    }

    /**
     * A message as Pulsar's clients see it.
     *
     * @param value Base64
     */
    record PulsarView(@Nullable String key, @Nullable String value, Map<String, String> properties) {
        /** For the programs in {@code clients}. */
        Map<String, Object> json() {
            Map<String, Object> json = new HashMap<>();
            json.put("key", key);
            json.put("value", value);
            json.put("properties", properties);
            return json;
        }

        /** The same for clients that show no key and no value as empty ones. */
        PulsarView withoutNulls() {
            return new PulsarView(key == null ? "" : key, value == null ? "" : value, properties);
        }

        /** As Kafka's clients see it, but for the fields that Kafka does not have. */
        KafkaView inKafka() {
            List<Header> headers = new ArrayList<>();
            new TreeMap<>(properties).forEach((name, property) -> headers.add(new Header(name, text(property))));
            return new KafkaView(key == null ? null : text(key), value, headers);
        }
    }
}
