package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Exactly once, whatever is killed: two processes that consume, transform and produce in transactions, and Kafka Streams' word count,
 * while the server and they are killed at moments that a seeded generator picks. A reader of what is committed gets each result once
 * and in the order of its key, all the while and again at the end, and no transaction stays open.
 */
class ExactlyOnceTest {
    private static final int RUNS = Integer.getInteger("sluice.exactly.runs", 1);
    private static final int ROUNDS = Integer.getInteger("sluice.exactly.rounds", 1);
    /** Of the first run; each next one has the next. */
    private static final long SEED = Long.getLong("sluice.exactly.seed", System.nanoTime());

    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** What happens once in each round, in random order. */
    private enum Blow {
        SERVER,
        PIPE,
        PIPE_IS_REPLACED,
        WORD_COUNT,
    }

    /** Kept when the test fails: the only witness. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    @Test
    void everyInputComesOutOnceWhateverIsKilled() throws Exception {
        for (int run = 0; run < RUNS; run++) {
            var trial = new Trial(SEED + run, Files.createDirectory(folder.resolve("run-" + run)));
            try {
                trial.run();
            } catch (Throwable e) {
                throw new AssertionError("run %d, sluice.exactly.seed %d".formatted(run, SEED + run), e);
            }
        }
    }

    private static final class Trial {
        private final long seed;
        private final Path folder;
        private final Random random;
        private final ExactlyOnceBooks pipeBooks = new ExactlyOnceBooks();
        private final ExactlyOnceBooks wordBooks = new ExactlyOnceBooks();

        Trial(long seed, Path folder) {
            this.seed = seed;
            this.folder = folder;
            this.random = new Random(seed);
        }

        void run() throws Exception {
            try (SluiceServer server = SluiceServer.start(folder.resolve("data"))) {
                createTopics(server);
                String kafka = server.kafka();
                List<RunningClient> pipes = Stream.of("pipe-0", "pipe-1")
                        .map(name -> new RunningClient(
                                folder, name, KafkaPipe.class, kafka, "numbers", "results", "pipes", name))
                        .toList();
                String state = folder.resolve("streams").toString();
                var words = new RunningClient(
                        folder, "words", KafkaWordCount.class, kafka, "lines", "counts", "words", state);
                try (var first = pipes.getFirst();
                        var second = pipes.getLast();
                        words) {
                    Stream.of(first, second, words).forEach(RunningClient::start);
                    new Course(server, pipes, words).run();
                }
            }
        }

        private void createTopics(SluiceServer server) throws Exception {
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
                admin.createTopics(Stream.of("numbers", "results", "lines", "counts")
                                .map(topic -> new NewTopic(topic, PARTITIONS, (short) 1))
                                .toList())
                        .all()
                        .get();
            }
        }

        /** From the first input to the last check. */
        private final class Course {
            private final SluiceServer server;
            private final List<RunningClient> pipes;
            private final RunningClient words;
            private final ExactlyOnceInput input;
            private final List<KafkaCommittedReader> readers;

            Course(SluiceServer server, List<RunningClient> pipes, RunningClient words) {
                this.server = server;
                this.pipes = pipes;
                this.words = words;
                String kafka = server.kafka();
                this.input = new ExactlyOnceInput(seed, kafka, "numbers", "lines", pipeBooks, wordBooks);
                this.readers = List.of(
                        new KafkaCommittedReader(kafka, "results", pipeBooks::came),
                        new KafkaCommittedReader(kafka, "counts", wordBooks::came));
            }

            void run() throws Exception {
                input.start();
                readers.forEach(KafkaCommittedReader::start);
                for (int round = 0; round < ROUNDS; round++) {
                    List<Blow> blows = new ArrayList<>(List.of(Blow.values()));
                    Collections.shuffle(blows, random);
                    for (Blow blow : blows) {
                        awaitProgress();
                        LockSupport.parkNanos(
                                Duration.ofMillis(random.nextInt(400)).toNanos());
                        strike(blow);
                    }
                }
                awaitProgress();
                input.finish();
                awaitTrue("all comes out", () -> pipeBooks.allCame() && wordBooks.allCame());
                new OpenTransactions(server.kafka()).awaitNone(PATIENCE);
                for (KafkaCommittedReader reader : readers) {
                    reader.finish();
                }
                readAgain();
            }

            private void strike(Blow blow) throws Exception {
                RunningClient pipe = pipes.get(random.nextInt(pipes.size()));
                switch (blow) {
                    case SERVER -> {
                        server.kill();
                        server.start();
                    }
                    case PIPE -> pipe.killAndStart();
                    case PIPE_IS_REPLACED ->
                        assertThat(pipe.replace()).as(pipe::output).isEqualTo(KafkaPipe.FENCED);
                    case WORD_COUNT -> words.killAndStart();
                }
            }

            /** Both applications go on. */
            private void awaitProgress() {
                long results = pipeBooks.came();
                long counts = wordBooks.came();
                awaitTrue("goes on", () -> pipeBooks.came() > results && wordBooks.came() > counts);
            }

            private void awaitTrue(String what, java.util.function.BooleanSupplier condition) {
                try {
                    await(what)
                            .atMost(PATIENCE)
                            .pollInterval(Duration.ofMillis(20))
                            .until(() -> {
                                input.check();
                                readers.forEach(KafkaCommittedReader::check);
                                Stream.concat(pipes.stream(), Stream.of(words))
                                        .forEach(client -> assertThat(client.isAlive())
                                                .as(client::output)
                                                .isTrue());
                                return condition.getAsBoolean();
                            });
                } catch (org.awaitility.core.ConditionTimeoutException e) {
                    throw new AssertionError(
                            "not the same: " + pipeBooks.difference() + "\n" + wordBooks.difference(), e);
                }
            }

            /** Who reads later gets the same. */
            private void readAgain() {
                var results = new ExactlyOnceBooks();
                new KafkaCommittedReader(server.kafka(), "results", results::came).readToTheEnd();
                assertThat(results.came()).isEqualTo(pipeBooks.came());
                var counts = new ExactlyOnceBooks();
                new KafkaCommittedReader(server.kafka(), "counts", counts::came).readToTheEnd();
                assertThat(counts.came()).isEqualTo(wordBooks.came());
            }
        }
    }
}
