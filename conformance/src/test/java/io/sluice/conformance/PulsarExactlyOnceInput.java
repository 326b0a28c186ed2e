package io.sluice.conformance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.api.transaction.TransactionCoordinatorClient;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.client.impl.PulsarClientImpl;

/**
 * {@link ExactlyOnceInput} by a Pulsar client: all pipes read the same topic. It goes on through crashes of the server: how a
 * transaction ended whose answer was lost it asks by ending it again.
 */
final class PulsarExactlyOnceInput {
    /** Comes out only if what was aborted is read. */
    private static final String ABORTED = "aborted";

    private static final int KEYS = 16;
    /** Longer than a server is away. One whose begin was answered by nobody, because the server was killed, stays open as long. */
    private static final int TRANSACTION_SECONDS = 60;

    private static final int PATIENCE_SECONDS = 60;
    private static final int TRIES = 20;

    private final Random random;
    private final PulsarClient client;
    private final String topic;
    private final List<ExactlyOnceBooks> books;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile boolean stop;

    /** @param books of the pipes, each of which is given everything */
    PulsarExactlyOnceInput(long seed, PulsarClient client, String topic, List<ExactlyOnceBooks> books) {
        this.random = new Random(seed);
        this.client = client;
        this.topic = topic;
        this.books = books;
    }

    void start() {
        Thread.ofPlatform().daemon().name("input").start(() -> {
            try (Producer<String> producer = client.newProducer(Schema.STRING)
                    .topic(topic)
                    .sendTimeout(0, TimeUnit.SECONDS)
                    .create()) {
                while (!stop) {
                    transaction(producer);
                }
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
    }

    private void transaction(Producer<String> producer) throws Exception {
        int numbers = 1 + random.nextInt(20);
        boolean aborted = random.nextInt(5) == 0;
        for (ExactlyOnceBooks of : books) {
            of.await(numbers);
        }
        Transaction open = begin();
        Map<String, Integer> more = new HashMap<>();
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int n = 0; n < numbers; n++) {
            String key = "key-" + random.nextInt(KEYS);
            int number = books.getFirst().next(key, more.merge(key, 1, Integer::sum) - 1);
            String value = aborted ? ABORTED : Integer.toString(number);
            sent.add(producer.newMessage(open).key(key).value(value).sendAsync());
        }
        if (aborted || !allSent(sent)) {
            end(open.getTxnID(), coordinators()::abortAsync);
            books.forEach(of -> of.giveBack(numbers));
        } else {
            // Before the commit: once that is decided, what comes out may be faster than its answer.
            books.forEach(of -> of.given(more));
            end(open.getTxnID(), coordinators()::commitAsync);
        }
    }

    private Transaction begin() throws InterruptedException, TimeoutException {
        for (int attempt = 0; attempt < TRIES; attempt++) {
            try {
                return client.newTransaction()
                        .withTransactionTimeout(TRANSACTION_SECONDS, TimeUnit.SECONDS)
                        .build()
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        throw new TimeoutException("no transaction");
    }

    private static boolean allSent(List<CompletableFuture<?>> sent) throws InterruptedException, TimeoutException {
        try {
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            return false;
        }
    }

    private TransactionCoordinatorClient coordinators() {
        return ((PulsarClientImpl) client).getTcClient();
    }

    /** Again until it is answered. */
    private static void end(TxnID id, Function<TxnID, CompletableFuture<Void>> way) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                way.apply(id).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                return;
            } catch (ExecutionException e) {
                if (attempt == TRIES) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    /** Fails if the producer gave up. */
    void check() {
        if (done.isCompletedExceptionally()) {
            done.join();
        }
    }

    /** Returns when the last transaction has ended. */
    void finish() throws Exception {
        stop = true;
        done.get(120, TimeUnit.SECONDS);
    }
}
