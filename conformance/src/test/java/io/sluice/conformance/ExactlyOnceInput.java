package io.sluice.conformance;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Feeds both applications from one transactional producer, which goes on through crashes of the server; every fifth is aborted. */
final class ExactlyOnceInput {
    /** Comes out only if what was aborted is read. */
    private static final String ABORTED = "aborted";

    private static final int KEYS = 16;
    private static final int WORDS = 24;

    private final Random random;
    private final String bootstrap;
    private final String numbers;
    private final String lines;
    private final ExactlyOnceBooks pipes;
    private final ExactlyOnceBooks words;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile boolean stop;

    ExactlyOnceInput(
            long seed, String bootstrap, String numbers, String lines, ExactlyOnceBooks pipes, ExactlyOnceBooks words) {
        this.random = new Random(seed);
        this.bootstrap = bootstrap;
        this.numbers = numbers;
        this.lines = lines;
        this.pipes = pipes;
        this.words = words;
    }

    void start() {
        Thread.ofPlatform().daemon().name("input").start(() -> {
            try (KafkaProducer<String, String> producer = producer()) {
                producer.initTransactions();
                while (!stop) {
                    transaction(producer);
                }
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
    }

    private KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "transactional.id",
                        "input",
                        "max.block.ms",
                        120_000,
                        "reconnect.backoff.max.ms",
                        200),
                new StringSerializer(),
                new StringSerializer());
    }

    private void transaction(KafkaProducer<String, String> producer) throws InterruptedException {
        boolean aborted = random.nextInt(5) == 0;
        int numbered = 1 + random.nextInt(20);
        int spoken = 1 + random.nextInt(12);
        pipes.await(numbered);
        words.await(spoken);
        Map<String, Integer> moreNumbers = new HashMap<>();
        Map<String, Integer> moreWords = new HashMap<>();
        producer.beginTransaction();
        for (int n = 0; n < numbered; n++) {
            String key = "key-" + random.nextInt(KEYS);
            int number = pipes.next(key, moreNumbers.merge(key, 1, Integer::sum) - 1);
            producer.send(new ProducerRecord<>(numbers, key, aborted ? ABORTED : Integer.toString(number)));
        }
        var line = new StringBuilder();
        for (int n = 0; n < spoken; n++) {
            String word = "word-" + random.nextInt(WORDS);
            moreWords.merge(word, 1, Integer::sum);
            line.append(line.isEmpty() ? "" : " ").append(aborted ? ABORTED : word);
        }
        producer.send(new ProducerRecord<>(lines, "line-" + random.nextInt(KEYS), line.toString()));
        // The client of 4.4 may end a transaction before it has sent the batches: see docs/client-faults.md.
        producer.flush();
        if (aborted) {
            producer.abortTransaction();
            pipes.giveBack(numbered);
            words.giveBack(spoken);
        } else {
            // Before the commit: once that is decided, what comes out may be faster than its answer.
            pipes.given(moreNumbers);
            words.given(moreWords);
            producer.commitTransaction();
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
