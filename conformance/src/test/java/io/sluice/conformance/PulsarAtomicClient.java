package io.sluice.conformance;

import io.sluice.conformance.TransactionalWriter.Outcome;
import io.sluice.conformance.clients.PulsarClients;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.transaction.Transaction;

/** A client with Pulsar's transactions, each over several topics. */
final class PulsarAtomicClient implements AtomicWrites.Client {
    static final int TOPICS = 4;
    /** Of a transaction; longer than any fault lasts. */
    private static final int TIMEOUT_SECONDS = 60;

    private final String name;
    private final PulsarClient client;
    private final Map<String, Producer<String>> producers = new TreeMap<>();

    /** @param name that its topics begin with */
    PulsarAtomicClient(String url, String name) throws PulsarClientException {
        this.name = name;
        client = PulsarClients.builder(url)
                .enableTransaction(true)
                .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                .keepAliveInterval(3, TimeUnit.SECONDS)
                .build();
        for (int n = 0; n < TOPICS; n++) {
            String topic = name + "-" + n;
            producers.put(
                    topic,
                    client.newProducer(Schema.STRING)
                            .topic(topic)
                            .sendTimeout(0, TimeUnit.SECONDS)
                            .blockIfQueueFull(true)
                            .create());
        }
    }

    @Override
    public Set<String> places() {
        return producers.keySet();
    }

    @Override
    public Outcome write(long number, boolean commit) throws Exception {
        Transaction transaction;
        try {
            transaction = client.newTransaction()
                    .withTransactionTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .build()
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return Outcome.UNKNOWN;
        }
        try {
            List<CompletableFuture<?>> sends = new ArrayList<>();
            for (var producer : producers.entrySet()) {
                sends.add(producer.getValue()
                        .newMessage(transaction)
                        .key(producer.getKey())
                        .value(Long.toString(number))
                        .sendAsync());
            }
            for (CompletableFuture<?> each : sends) {
                each.get(2 * TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
            CompletableFuture<Void> end = commit ? transaction.commit() : transaction.abort();
            end.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            return commit ? Outcome.COMMITTED : Outcome.ABORTED;
        } catch (ExecutionException | TimeoutException e) {
            return Outcome.UNKNOWN; // what is not committed ends by its time-out
        }
    }

    @Override
    public List<CommittedReader> readers(AtomicWrites.Came came) {
        List<CommittedReader> readers = new ArrayList<>();
        for (String topic : producers.keySet()) {
            readers.add(new PulsarCommittedReader(
                    client, topic, (place, number) -> came.came(place, Long.parseLong(number))));
        }
        return readers;
    }

    /** Readers may come later: the client stays. */
    @Override
    public void close() throws PulsarClientException {
        for (Producer<String> producer : producers.values()) {
            producer.close();
        }
    }

    @Override
    public String toString() {
        return "transactions of pulsar " + name;
    }
}
