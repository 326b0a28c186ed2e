package io.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.conformance.MixedTopic.Header;
import io.sluice.conformance.MixedTopic.KafkaView;
import io.sluice.conformance.MixedTopic.PulsarView;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.TypedMessageBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Message of a random history: number {@code n}, which its first header or its property {@code n} has, content made of a seed, and how
 * readers of both protocols see it.
 *
 * @param writer producer, which sends its messages in the order of their numbers
 * @param keyBytes for a Pulsar client, if the key is no text
 * @param time milliseconds since the epoch: timestamp in Kafka, event time in Pulsar; 0 if a Pulsar client gives none
 */
record HistoryMessage(
        int n,
        String writer,
        boolean byKafka,
        KafkaView inKafka,
        PulsarView inPulsar,
        byte @Nullable [] keyBytes,
        long time) {
    private static final int BYTES = 3_000;
    private static final long FIRST_TIME = 1_700_000_000_000L;

    static HistoryMessage ofKafka(long seed, int n, String writer) {
        Random random = new Random(seed * 1_000_003 + n);
        String key = switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> MixedTopic.base64(binaryKey(n));
            case 2 -> "";
            default -> text(textKey(n));
        };
        List<Header> headers = new ArrayList<>(List.of(new Header("n", text("" + n))));
        for (int i = random.nextInt(5); i > 0; i--) {
            headers.add(
                    switch (random.nextInt(5)) {
                        case 0 -> new Header("n", text("again"));
                        case 1 -> new Header("none", null);
                        case 2 -> new Header("binary", MixedTopic.base64(new byte[] {(byte) 0xff, 0}));
                        case 3 -> new Header("größe", text("ü & = " + i));
                        default -> new Header("empty", "");
                    });
        }
        KafkaView view = new KafkaView(key, value(random), headers);
        return new HistoryMessage(n, writer, true, view, view.inPulsar(), null, FIRST_TIME + random.nextInt());
    }

    /** @param ofJava whether it may have what other clients of Pulsar cannot send: a null value, and a key of bytes */
    static HistoryMessage ofPulsar(long seed, int n, String writer, boolean ofJava) {
        Random random = new Random(seed * 1_000_003 + n);
        Map<String, String> properties = new HashMap<>(Map.of("n", "" + n));
        for (int i = random.nextInt(4); i > 0; i--) {
            properties.put(i == 1 ? "größe" : "p" + i, i == 2 ? "" : "ü & = " + i);
        }
        byte[] keyBytes = switch (ofJava ? random.nextInt(8) : -1) {
            case 0 -> binaryKey(n);
            case 1 -> textKey(n).getBytes(UTF_8);
            default -> null;
        };
        String key = keyBytes != null ? MixedTopic.base64(keyBytes) : random.nextInt(3) == 0 ? null : textKey(n);
        String value = ofJava ? value(random) : MixedTopic.base64(bytes(random, 1 + random.nextInt(BYTES)));
        PulsarView view = new PulsarView(key, value, properties);
        KafkaView text = view.inKafka();
        KafkaView inKafka =
                keyBytes == null ? text : new KafkaView(MixedTopic.base64(keyBytes), text.value(), text.headers());
        long time = random.nextBoolean() ? FIRST_TIME + random.nextInt() : 0;
        return new HistoryMessage(n, writer, false, inKafka, view, keyBytes, time);
    }

    /** The same of a Kafka client under another key. */
    HistoryMessage withKey(String key) {
        KafkaView view = new KafkaView(text(key), inKafka.value(), inKafka.headers());
        return new HistoryMessage(n, writer, byKafka, view, view.inPulsar(), null, time);
    }

    private static String textKey(int n) {
        return "schlüssel-" + n % 7;
    }

    /** No text. */
    private static byte[] binaryKey(int n) {
        return new byte[] {(byte) 0xff, (byte) (n % 5)};
    }

    private static @Nullable String value(Random random) {
        return random.nextInt(8) == 0 ? null : MixedTopic.base64(bytes(random, random.nextInt(BYTES)));
    }

    private static byte[] bytes(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String text(String text) {
        return MixedTopic.base64(text.getBytes(UTF_8));
    }

    ProducerRecord<byte[], byte[]> record(String topic) {
        var record = new ProducerRecord<>(topic, 0, time, decoded(inKafka.key()), decoded(inKafka.value()));
        inKafka.headers().forEach(header -> record.headers().add(header.name(), decoded(header.value())));
        return record;
    }

    void fill(TypedMessageBuilder<byte[]> message) {
        message.value(decoded(inPulsar.value())).properties(inPulsar.properties());
        if (keyBytes != null) {
            message.keyBytes(keyBytes);
        } else if (inPulsar.key() != null) {
            message.key(inPulsar.key());
        }
        if (time > 0) {
            message.eventTime(time);
        }
    }

    /** For the programs in {@code clients}. */
    Map<String, Object> json() {
        Map<String, Object> json = byKafka ? inKafka.json() : inPulsar.json();
        json.put("time", time);
        return json;
    }

    static int number(ConsumerRecord<byte[], byte[]> record) {
        return Integer.parseInt(
                new String(record.headers().headers("n").iterator().next().value(), UTF_8));
    }

    /** Whether a reader of Kafka got this one. */
    boolean isSeenAs(ConsumerRecord<byte[], byte[]> record) {
        List<Header> headers = new ArrayList<>();
        record.headers().forEach(header -> headers.add(new Header(header.key(), encoded(header.value()))));
        KafkaView view = new KafkaView(encoded(record.key()), encoded(record.value()), headers);
        return inKafka.equals(byKafka ? view : view.ofPulsar()) && (time == 0 || record.timestamp() == time);
    }

    /** Whether a reader of Pulsar got this one. */
    boolean isSeenAs(Message<byte[]> message) {
        PulsarView view = new PulsarView(
                message.hasKey() ? message.getKey() : null,
                encoded(message.getValue()),
                Map.copyOf(message.getProperties()));
        return inPulsar.equals(view) && message.getEventTime() == time;
    }

    private static @Nullable String encoded(byte @Nullable [] bytes) {
        return bytes == null ? null : MixedTopic.base64(bytes);
    }

    private static byte @Nullable [] decoded(@Nullable String base64) {
        return base64 == null ? null : Base64.getDecoder().decode(base64);
    }
}
