package io.sluice.conformance;

import io.sluice.conformance.TransactionalWriter.Outcome;
import io.sluice.conformance.clients.KafkaSide;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** A producer with a transactional id, which writes to all partitions of a topic; where it cannot go on, a successor takes its place. */
final class KafkaAtomicClient implements AtomicWrites.Client {
    static final int PARTITIONS = 6;

    private final String bootstrap;
    private final String topic;
    private KafkaProducer<String, String> producer;

    KafkaAtomicClient(String bootstrap, String topic) throws Exception {
        this.bootstrap = bootstrap;
        this.topic = topic;
        new KafkaSide(bootstrap).create(topic, PARTITIONS);
        producer = newProducer();
        producer.initTransactions();
    }

    private KafkaProducer<String, String> newProducer() {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "transactional.id", topic,
                        "max.block.ms", 180_000,
                        "delivery.timeout.ms", 180_000,
                        "request.timeout.ms", 5_000,
                        "retry.backoff.max.ms", 200,
                        "reconnect.backoff.max.ms", 200),
                new StringSerializer(),
                new StringSerializer());
    }

    @Override
    public Set<String> places() {
        Set<String> places = new TreeSet<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            places.add(place(partition));
        }
        return places;
    }

    private String place(int partition) {
        return topic + "-" + partition;
    }

    @Override
    public Outcome write(long number, boolean commit) {
        try {
            producer.beginTransaction();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                producer.send(new ProducerRecord<>(topic, partition, place(partition), Long.toString(number)));
            }
            // The client of 4.4 may end a transaction before it has sent the batches: see docs/client-faults.md.
            producer.flush();
            if (commit) {
                producer.commitTransaction();
                return Outcome.COMMITTED;
            }
            producer.abortTransaction();
            return Outcome.ABORTED;
        } catch (RuntimeException e) {
            producer.close(Duration.ZERO);
            producer = newProducer();
            producer.initTransactions();
            return Outcome.UNKNOWN;
        }
    }

    @Override
    public List<CommittedReader> readers(AtomicWrites.Came came) {
        List<CommittedReader> readers = new ArrayList<>();
        readers.add(new KafkaCommittedReader(
                bootstrap, topic, (place, number) -> came.came(place, Long.parseLong(number))));
        return readers;
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(10));
    }

    @Override
    public String toString() {
        return "transactions of kafka " + topic;
    }
}
