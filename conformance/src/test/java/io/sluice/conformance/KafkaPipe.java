package io.sluice.conformance;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Consumes, transforms, produces until it is killed, each turn as one transaction of its results and its offsets. A member of a
 * group under a constant name, so that its successor takes over at once, and that name is its transactional id.
 *
 * <p>Usage: {@code KafkaPipe BOOTSTRAP FROM TO GROUP NAME}. Ends by itself only if a successor has fenced it, with {@link #FENCED}.
 */
final class KafkaPipe {
    static final int FENCED = 3;

    private final Map<String, Object> settings;
    private final String to;
    private final KafkaConsumer<String, String> consumer;
    private @Nullable KafkaProducer<String, String> producer;

    private KafkaPipe(String bootstrap, String to, String group, String name) {
        this.to = to;
        this.settings =
                Map.of("bootstrap.servers", bootstrap, "transactional.id", name, "reconnect.backoff.max.ms", 200);
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "group.id",
                        group,
                        "group.instance.id",
                        name,
                        "isolation.level",
                        "read_committed",
                        "auto.offset.reset",
                        "earliest",
                        "enable.auto.commit",
                        false,
                        "reconnect.backoff.max.ms",
                        200,
                        "max.poll.records",
                        20),
                new StringDeserializer(),
                new StringDeserializer());
    }

    public static void main(String[] arguments) {
        var pipe = new KafkaPipe(arguments[0], arguments[2], arguments[3], arguments[4]);
        try {
            pipe.run(arguments[1]);
        } catch (ProducerFencedException | InvalidProducerEpochException | FencedInstanceIdException e) {
            System.out.println("fenced: " + e);
            Runtime.getRuntime().halt(FENCED);
        }
    }

    private void run(String from) {
        newProducer();
        consumer.subscribe(List.of(from));
        while (true) {
            ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(100));
            if (!records.isEmpty()) {
                turn(records);
            }
        }
    }

    /** What a turn that failed has read is read again. */
    private void turn(ConsumerRecords<String, String> records) {
        try {
            transaction(records);
        } catch (ProducerFencedException | InvalidProducerEpochException | FencedInstanceIdException e) {
            throw e;
        } catch (KafkaException e) {
            System.out.println("again: " + e);
            abort();
            rewind();
        }
    }

    private void transaction(ConsumerRecords<String, String> records) {
        KafkaProducer<String, String> open = producer();
        open.beginTransaction();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (ConsumerRecord<String, String> record : records) {
            open.send(new ProducerRecord<>(to, record.key(), record.value()));
            offsets.put(
                    new TopicPartition(record.topic(), record.partition()), new OffsetAndMetadata(record.offset() + 1));
        }
        open.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
        open.commitTransaction();
    }

    private KafkaProducer<String, String> producer() {
        if (producer == null) {
            throw new IllegalStateException("no producer");
        }
        return producer;
    }

    /** A producer that cannot even abort is given up for a new one, which ends the transaction. */
    private void abort() {
        try {
            producer().abortTransaction();
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            throw e;
        } catch (KafkaException e) {
            System.out.println("a new producer: " + e);
            producer().close(Duration.ZERO);
            newProducer();
        }
    }

    private void newProducer() {
        producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        producer.initTransactions();
    }

    private void rewind() {
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(consumer.assignment());
        for (TopicPartition partition : consumer.assignment()) {
            OffsetAndMetadata at = committed.get(partition);
            consumer.seek(partition, at == null ? 0 : at.offset());
        }
    }
}
