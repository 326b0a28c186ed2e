package io.sluice.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What an application does with transactions of Kafka's Java client, as a program: as {@link KafkaRoundTrip}, of what the 2.x
 * client has too. The newer client speaks the second protocol of transactions, the older one the first.
 *
 * <p>Usage: {@code KafkaTransactions BOOTSTRAP}. Prints a line per check; throws at the first that fails.
 */
final class KafkaTransactions {
    private static final Duration DEADLINE = Duration.ofSeconds(90);
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 400;

    private final String bootstrap;

    private KafkaTransactions(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    public static void main(String[] arguments) throws Exception {
        var program = new KafkaTransactions(arguments[0]);
        program.commitsAndAborts();
        program.fences();
        program.consumesTransformsProduces();
        System.out.println("all ok");
    }

    private void commitsAndAborts() throws Exception {
        String topic = newTopic();
        List<String> expected = new ArrayList<>();
        try (KafkaProducer<String, String> producer = producer("id-" + topic)) {
            producer.initTransactions();
            for (int i = 0; i < 60; i++) {
                producer.beginTransaction();
                for (int p = 0; p < PARTITIONS; p++) {
                    producer.send(new ProducerRecord<>(topic, p, "k", "v" + i));
                }
                if (i % 3 == 1) {
                    producer.flush();
                    producer.abortTransaction();
                } else {
                    // The client of 4.4 may end a transaction before it has sent the batches: see
                    // docs/client-faults.md.
                    producer.flush();
                    producer.commitTransaction();
                    for (int p = 0; p < PARTITIONS; p++) {
                        expected.add("v" + i);
                    }
                }
            }
        }
        checkSame(expected, read(topic, "read_committed", expected.size()), "what is committed");
        check(read(topic, "read_uncommitted", 60 * PARTITIONS).size() == 60 * PARTITIONS, "what is written");
        System.out.println("ok commits and aborts");
    }

    private void fences() throws Exception {
        String topic = newTopic();
        try (KafkaProducer<String, String> first = producer("id-" + topic);
                KafkaProducer<String, String> second = producer("id-" + topic)) {
            first.initTransactions();
            first.beginTransaction();
            first.send(new ProducerRecord<>(topic, 0, "k", "first"));
            first.flush();
            second.initTransactions();
            second.beginTransaction();
            second.send(new ProducerRecord<>(topic, 0, "k", "second"));
            second.flush();
            second.commitTransaction();
            try {
                first.commitTransaction();
                throw new AssertionError("the first producer was not fenced");
            } catch (KafkaException expected) {
                // Not caught by their names: what the two have in common differs from client to client.
                check(
                        expected instanceof ProducerFencedException
                                || expected instanceof InvalidProducerEpochException,
                        "fenced, not " + expected);
                System.out.println("ok fenced: " + expected.getClass().getSimpleName());
            }
        }
        checkSame(List.of("second"), read(topic, "read_committed", 1), "what is committed");
    }

    /** Each turn's offsets and results are one transaction; some are aborted, and read again. */
    private void consumesTransformsProduces() throws Exception {
        String from = newTopic();
        String to = newTopic();
        List<String> expected = new ArrayList<>();
        try (KafkaProducer<String, String> producer = producer("id-" + from)) {
            producer.initTransactions();
            producer.beginTransaction();
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(from, i % PARTITIONS, "k", "v" + i));
                expected.add("done v" + i);
            }
            producer.flush();
            producer.commitTransaction();
        }
        String group = "group-" + from;
        int turns = 0;
        int done = 0;
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        try (KafkaProducer<String, String> producer = producer("id-" + to);
                KafkaConsumer<String, String> consumer = consumer("read_committed", group)) {
            producer.initTransactions();
            consumer.subscribe(List.of(from));
            while (done < RECORDS) {
                check(System.nanoTime() < deadline, "only " + done + " records in time");
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(200));
                if (records.isEmpty()) {
                    continue;
                }
                producer.beginTransaction();
                Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
                for (ConsumerRecord<String, String> record : records) {
                    producer.send(new ProducerRecord<>(to, record.partition(), "k", "done " + record.value()));
                    offsets.put(
                            new TopicPartition(record.topic(), record.partition()),
                            new OffsetAndMetadata(record.offset() + 1));
                }
                producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
                if (turns++ % 3 == 0) {
                    producer.abortTransaction();
                    Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(consumer.assignment());
                    for (TopicPartition partition : consumer.assignment()) {
                        OffsetAndMetadata at = committed.get(partition);
                        consumer.seek(partition, at == null ? 0 : at.offset());
                    }
                } else {
                    producer.commitTransaction();
                    done += records.count();
                }
            }
        }
        checkSame(expected, read(to, "read_committed", RECORDS), "what was transformed");
        System.out.println("ok consume, transform, produce in " + turns + " turns");
    }

    private List<String> read(String topic, String isolation, int count) {
        List<String> values = new ArrayList<>();
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        try (KafkaConsumer<String, String> consumer = consumer(isolation, "reads-" + UUID.randomUUID())) {
            Set<TopicPartition> partitions = new HashSet<>();
            consumer.partitionsFor(topic).forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (values.size() < count) {
                check(System.nanoTime() < deadline, "only " + values.size() + " of " + count + " records arrived");
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }

    private static void checkSame(List<String> expected, List<String> got, String what) {
        List<String> sorted = new ArrayList<>(expected);
        List<String> sortedGot = new ArrayList<>(got);
        Collections.sort(sorted);
        Collections.sort(sortedGot);
        check(sorted.equals(sortedGot), what + " differs: " + sortedGot);
    }

    private KafkaProducer<String, String> producer(String id) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "transactional.id", id),
                new StringSerializer(),
                new StringSerializer());
    }

    private KafkaConsumer<String, String> consumer(String isolation, String group) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "group.id",
                        group,
                        "isolation.level",
                        isolation,
                        "auto.offset.reset",
                        "earliest",
                        "max.poll.records",
                        50,
                        "enable.auto.commit",
                        false),
                new StringDeserializer(),
                new StringDeserializer());
    }

    private String newTopic() throws Exception {
        String topic = "transactions-" + UUID.randomUUID();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        return topic;
    }

    private static void check(boolean condition, String line) {
        if (!condition) {
            throw new AssertionError(line);
        }
    }
}
