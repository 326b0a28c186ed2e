package io.sluice.conformance;

import io.sluice.conformance.TransactionalWriter.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

/** A producer with a transactional id, on an elastic topic; who is started in place of a killed one fences it. */
final class KafkaTransactionsPart implements Application.Part {
    static final String TRANSACTIONAL = "transactional";
    /** Reads what is committed. */
    static final String COMMITTED = "committed";

    private final KafkaProducer<String, String> producer;
    private final TransactionalWriter writer;

    /** @param load of the one application that has this transactional id */
    KafkaTransactionsPart(String bootstrap, String load, Application.Books books) {
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "transactional.id", load,
                        "max.block.ms", 180_000,
                        "delivery.timeout.ms", 180_000,
                        "request.timeout.ms", 10_000,
                        "retry.backoff.max.ms", 200,
                        "reconnect.backoff.max.ms", 200),
                new StringSerializer(),
                new StringSerializer());
        producer.initTransactions();
        writer = new TransactionalWriter(load, (numbers, commit) -> write(load, numbers, commit), books);
    }

    private Outcome write(String load, List<Long> numbers, boolean commit) {
        producer.beginTransaction();
        try {
            for (long number : numbers) {
                producer.send(new ProducerRecord<>(
                        TRANSACTIONAL, Application.key(load, number), Application.value(load, number)));
            }
            // The client of 4.4 may end a transaction before it has sent the batches: see docs/client-faults.md.
            producer.flush();
            if (commit) {
                producer.commitTransaction();
                return Outcome.COMMITTED;
            }
        } catch (KafkaException e) {
            // Where it may not be aborted, aborting throws.
            producer.abortTransaction();
            return Outcome.ABORTED;
        }
        producer.abortTransaction();
        return Outcome.ABORTED;
    }

    @Override
    public boolean writes(String load) {
        return load.startsWith(TRANSACTIONAL);
    }

    @Override
    public void send(String load, long number) {
        writer.send(number);
    }

    @Override
    public void close() {
        writer.close();
        producer.close(Duration.ofSeconds(10));
    }
}
