package io.sluice.conformance;

import io.sluice.conformance.TransactionalWriter.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.Transaction;
import org.apache.pulsar.client.api.v5.config.TransactionPolicy;
import org.apache.pulsar.client.api.v5.schema.Schema;

/** Pulsar 5's client on a scalable topic of its own: writes in transactions, and a stream consumer. Runs only where there are its jars. */
final class Pulsar5TransactionsPart implements Application.Part {
    static final String SCALABLE = "in-transactions";
    static final String TOPIC = "topic://public/default/" + SCALABLE;
    static final String STREAM = "stream-of-transactions";
    /** From the first message on, once all is written. */
    static final String AUDIT = "audit-of-transactions";

    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Application.Books books;
    private final Application.Readers readers;
    private final PulsarClient client;
    private final Producer<String> producer;
    private final TransactionalWriter writer;

    Pulsar5TransactionsPart(String url, String load, Application.Books books) throws PulsarClientException {
        this.books = books;
        this.readers = new Application.Readers(books);
        client = PulsarClient.builder()
                .serviceUrl(url)
                // How long a killed application's messages hold up what comes behind them.
                .transactionPolicy(TransactionPolicy.builder()
                        .timeout(Duration.ofSeconds(20))
                        .build())
                .build();
        producer = client.newProducer(Schema.string())
                .topic(TOPIC)
                .sendTimeout(Duration.ofMinutes(3))
                .create();
        read(STREAM);
        writer = new TransactionalWriter(load, (numbers, commit) -> write(load, numbers, commit), books);
    }

    /** One message at a time: the client may turn the order of what it has to send again after a split. */
    private Outcome write(String load, List<Long> numbers, boolean commit) {
        Transaction transaction;
        try {
            transaction = client.newTransaction();
        } catch (PulsarClientException e) {
            LockSupport.parkNanos(PAUSE.toNanos());
            return Outcome.ABORTED; // the server was away for longer than the client waits
        }
        try {
            for (long number : numbers) {
                producer.newMessage()
                        .transaction(transaction)
                        .key(Application.key(load, number))
                        .value(Application.value(load, number))
                        .send();
            }
        } catch (PulsarClientException e) {
            return abort(transaction);
        }
        if (!commit) {
            return abort(transaction);
        }
        try {
            transaction.commit();
            return Outcome.COMMITTED;
        } catch (PulsarClientException e) {
            return Outcome.UNKNOWN;
        }
    }

    /** What is not aborted so is by its time-out. */
    private static Outcome abort(Transaction transaction) {
        try {
            transaction.abort();
        } catch (PulsarClientException e) {
            return Outcome.ABORTED;
        }
        return Outcome.ABORTED;
    }

    /** Reads all that was ever committed. */
    void audit() throws PulsarClientException {
        read(AUDIT);
    }

    private void read(String subscription) throws PulsarClientException {
        Pulsar5Stream.read(client, TOPIC, subscription, "only", readers, books);
    }

    @Override
    public boolean writes(String load) {
        return load.startsWith(SCALABLE);
    }

    @Override
    public void send(String load, long number) {
        writer.send(number);
    }

    @Override
    public void close() {
        writer.close();
        readers.end();
        try {
            producer.close();
            client.close();
        } catch (PulsarClientException e) {
            books.wrong("Pulsar 5's client did not close: " + e);
        }
    }
}
