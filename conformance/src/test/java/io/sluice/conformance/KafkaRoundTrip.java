package io.sluice.conformance;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What an application does with Kafka's Java client, as a program: it uses only what the 2.x client has too, so the same
 * class file runs against several client versions, each in a JVM with that client alone.
 *
 * <p>Usage: {@code KafkaRoundTrip BOOTSTRAP [GROUP_PROTOCOL]}. Prints a line per check; throws at the first that fails.
 */
final class KafkaRoundTrip {
    private static final int PARTITIONS = 16;
    private static final Duration DEADLINE = Duration.ofSeconds(90);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

    private final String bootstrap;
    private final Map<String, String> groupSettings;

    private KafkaRoundTrip(String bootstrap, Map<String, String> groupSettings) {
        this.bootstrap = bootstrap;
        this.groupSettings = groupSettings;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> groupSettings =
                arguments.length > 1 ? Map.of("group.protocol", arguments[1]) : Map.of("session.timeout.ms", "10000");
        var program = new KafkaRoundTrip(arguments[0], groupSettings);
        for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
            program.roundTrip(codec, 200, 1, 100, 10_000);
            program.roundTrip(codec, 2, 1_000_000, 5_000_000);
        }
        program.rebalance();
        System.out.println("all ok");
    }

    private void roundTrip(String codec, int perSize, int... sizes) throws Exception {
        String topic = newTopic();
        Map<String, byte[]> sent = produce(topic, codec, perSize, sizes);
        Set<String> seen = new HashSet<>();
        Map<TopicPartition, Long> next = new HashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(UUID.randomUUID().toString())) {
            consumer.subscribe(List.of(topic));
            long deadline = System.nanoTime() + DEADLINE.toNanos();
            while (seen.size() < sent.size()) {
                check(System.nanoTime() < deadline, "only " + seen.size() + " of " + sent.size() + " records arrived");
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                    String key = new String(record.key(), StandardCharsets.UTF_8);
                    check(seen.add(key), "repeated record " + key);
                    check(Arrays.equals(record.value(), sent.get(key)), "value of " + key + " differs");
                    checkHeaders(record);
                    var partition = new TopicPartition(record.topic(), record.partition());
                    check(record.offset() == next.getOrDefault(partition, 0L), "offsets are not dense");
                    next.put(partition, record.offset() + 1);
                }
            }
            consumer.commitSync();
            consumer.committed(next.keySet())
                    .forEach((partition, committed) -> check(
                            committed.offset() == next.getOrDefault(partition, -1L),
                            "committed " + partition + " at " + committed));
        }
        System.out.println("ok " + codec + " " + sent.size() + " records of " + Arrays.toString(sizes) + " bytes");
    }

    private Map<String, byte[]> produce(String topic, String codec, int perSize, int... sizes) throws Exception {
        var random = new Random(42);
        Map<String, byte[]> sent = new HashMap<>();
        List<Future<RecordMetadata>> acknowledgements = new ArrayList<>();
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("compression.type", codec);
        settings.put("acks", "all");
        settings.put("enable.idempotence", "true");
        settings.put("linger.ms", "5");
        settings.put("max.request.size", "8000000");
        try (var producer =
                new KafkaProducer<byte[], byte[]>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int size : sizes) {
                for (int n = 0; n < perSize; n++) {
                    byte[] value = new byte[size];
                    random.nextBytes(value);
                    Arrays.fill(value, size / 2, size, (byte) 'x');
                    String key = size + "-" + n;
                    sent.put(key, value);
                    var record = new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value);
                    record.headers()
                            .add("trace", new byte[] {1, 0, 2})
                            .add("trace", null)
                            .add("key", record.key());
                    acknowledgements.add(producer.send(record));
                }
            }
            for (Future<RecordMetadata> acknowledgement : acknowledgements) {
                acknowledgement.get();
            }
        }
        return sent;
    }

    private static void checkHeaders(ConsumerRecord<byte[], byte[]> record) {
        Header[] headers = record.headers().toArray();
        check(
                headers.length == 3
                        && headers[0].key().equals("trace")
                        && Arrays.equals(headers[0].value(), new byte[] {1, 0, 2})
                        && headers[1].value() == null
                        && Arrays.equals(headers[2].value(), record.key()),
                "headers differ: " + Arrays.toString(headers));
    }

    /** A second member joins, then the first leaves; at each step all partitions are shared out and no record is lost. */
    private void rebalance() throws Exception {
        String topic = newTopic();
        String group = UUID.randomUUID().toString();
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (var first = new Member(topic, group, seen)) {
            first.awaitPartitions(PARTITIONS);
            try (var second = new Member(topic, group, seen)) {
                second.awaitPartitions(PARTITIONS / 2);
                first.awaitPartitions(PARTITIONS / 2);
                first.close();
                second.awaitPartitions(PARTITIONS);
                Set<String> sent = produce(topic, "none", 500, 10).keySet();
                awaitThat(
                        () -> seen.containsAll(sent), () -> "only " + seen.size() + " of " + sent.size() + " arrived");
            }
        }
        System.out.println("ok rebalance " + groupSettings);
    }

    /** A group member on a thread of its own. */
    private final class Member implements AutoCloseable {
        private final Set<Integer> owned = ConcurrentHashMap.newKeySet();
        private final Thread thread;
        private volatile boolean stop;

        Member(String topic, String group, Set<String> seen) {
            thread = new Thread(() -> run(topic, group, seen), "member");
            thread.setDaemon(true);
            thread.start();
        }

        private void run(String topic, String group, Set<String> seen) {
            try (KafkaConsumer<byte[], byte[]> consumer = consumer(group)) {
                consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
                    @Override
                    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                        partitions.forEach(partition -> owned.remove(partition.partition()));
                    }

                    @Override
                    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                        partitions.forEach(partition -> owned.add(partition.partition()));
                    }
                });
                while (!stop) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                        seen.add(new String(record.key(), StandardCharsets.UTF_8));
                    }
                }
            }
        }

        void awaitPartitions(int count) {
            awaitThat(() -> owned.size() == count, () -> "owns " + new TreeSet<>(owned) + ", expected " + count);
        }

        @Override
        public void close() throws InterruptedException {
            stop = true;
            thread.join(DEADLINE.toMillis());
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer(String group) {
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("group.id", group);
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", "true");
        settings.put("max.partition.fetch.bytes", "8000000");
        settings.putAll(groupSettings);
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private String newTopic() throws Exception {
        String topic = "java-" + UUID.randomUUID();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        return topic;
    }

    /** Looks now and then, and leaves the cores to the members and the server. */
    private static void awaitThat(BooleanSupplier condition, Supplier<String> otherwise) {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (!condition.getAsBoolean()) {
            check(System.nanoTime() < deadline, otherwise.get());
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    private static void check(boolean condition, String line) {
        if (!condition) {
            throw new AssertionError(line);
        }
    }
}
