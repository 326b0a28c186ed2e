package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kafka Connect in distributed mode with exactly-once sources: two workers carry the lines of a file, which grows meanwhile, to a
 * topic and from there to another file. One is killed while its transaction is open, with lines that are stored and not committed;
 * the other takes over, fences it and sends them again. The server is killed under an open transaction, too, and under short ones.
 * Who reads what is committed gets every line once and in order.
 */
class KafkaConnectTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final TopicPartition LINES = new TopicPartition("lines", 0);
    /** Enough that several batches of the file source are among them. */
    private static final int MANY = 500;

    private static final Duration OFTEN = Duration.ofMillis(200);
    /** Longer than the test: only the end of the task ends the transaction. */
    private static final Duration NEVER = Duration.ofMinutes(10);

    private static final Pattern TASK =
            Pattern.compile("\"tasks\":\\[\\{\"id\":0,\"state\":\"RUNNING\",\"worker_id\":\"([^\"]+)\"");

    /** Kept when the test fails: with the workers' logs. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    @Test
    void everyLineComesOnceThoughAWorkerAndTheServerAreKilled() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"));
                Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()));
                var first = new ConnectWorker(folder, "worker-1", server.kafka());
                var second = new ConnectWorker(folder, "worker-2", server.kafka());
                var lines = new GrowingFile(folder.resolve("from"))) {
            admin.createTopics(List.of(new NewTopic(LINES.topic(), 1, (short) 1)))
                    .all()
                    .get();
            new Course(server, admin, List.of(first, second), lines).run();
        }
    }

    /** From the first line to the last check. */
    private final class Course {
        private final SluiceServer server;
        private final Admin admin;
        private final List<ConnectWorker> workers;
        private final GrowingFile lines;
        private final CommittedLines committed = new CommittedLines();
        private final KafkaCommittedReader reader;

        Course(SluiceServer server, Admin admin, List<ConnectWorker> workers, GrowingFile lines) {
            this.server = server;
            this.admin = admin;
            this.workers = workers;
            this.lines = lines;
            this.reader = new KafkaCommittedReader(server.kafka(), LINES.topic(), committed::came);
        }

        void run() throws Exception {
            reader.start();
            configure(workers.getFirst(), "source", source(OFTEN));
            configure(workers.getLast(), "sink", sink());
            lines.start();
            awaitTrue("lines are committed", () -> committed.count() >= MANY);

            configure(workers.getLast(), "source", source(NEVER));
            awaitTrue(
                    "lines are stored and not committed", () -> worker().isPresent() && end(false) - end(true) >= MANY);
            ConnectWorker killed = worker().orElseThrow();
            long stored = end(false);
            killed.kill();
            ConnectWorker left = workers.stream()
                    .filter(worker -> worker != killed)
                    .findAny()
                    .orElseThrow();
            awaitTrue(
                    "the other one ends that transaction and sends again",
                    () -> end(true) >= stored && end(false) - end(true) >= MANY);
            killServer();

            configure(left, "source", source(OFTEN));
            int open = committed.count();
            awaitTrue("lines are committed again", () -> {
                restartIfFailed(left);
                return committed.count() >= open + MANY;
            });
            killServer();
            int written = lines.finish();
            awaitTrue("every line is committed", () -> {
                restartIfFailed(left);
                return committed.count() >= written;
            });
            new OpenTransactions(server.kafka()).awaitNone(PATIENCE);
            reader.finish();
            assertThat(committed.count()).isEqualTo(written);

            // At least once: lines may come again, none is missing.
            awaitTrue("every line is in the other file", () -> distinctLines().count() >= written);
            assertThat(distinctLines()).containsExactlyInAnyOrderElementsOf(GrowingFile.lines(1, written));
        }

        /** As operators do: a task that has given up, because the server was away for longer than a worker waits, is not begun again by itself. */
        private void restartIfFailed(ConnectWorker worker) throws InterruptedException {
            if (state("source").contains("FAILED")) {
                worker.ask("POST", "/connectors/source/restart?includeTasks=true&onlyFailed=true", "");
            }
        }

        private void killServer() {
            server.kill();
            server.start();
        }

        private void configure(ConnectWorker worker, String connector, String config) {
            awaitTrue(
                    connector + " is configured",
                    () -> worker.ask("PUT", "/connectors/" + connector + "/config", config) != null);
        }

        private String source(Duration transaction) {
            return """
                    {"connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector", "tasks.max": "1",
                     "file": "%s", "topic": "lines", "exactly.once.support": "required",
                     "transaction.boundary": "interval", "transaction.boundary.interval.ms": "%d",
                     "producer.override.transaction.timeout.ms": "600000"}""".formatted(lines.path(), transaction.toMillis());
        }

        private String sink() {
            return """
                    {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "tasks.max": "1",
                     "file": "%s", "topics": "lines", "consumer.override.isolation.level": "read_committed"}""".formatted(folder.resolve("to"));
        }

        private Stream<String> distinctLines() throws Exception {
            Path to = folder.resolve("to");
            return Files.exists(to) ? Files.readAllLines(to).stream().distinct() : Stream.empty();
        }

        /** Of the whole topic, or of what is committed. */
        private long end(boolean committed) throws Exception {
            var level = committed ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED;
            return admin.listOffsets(Map.of(LINES, OffsetSpec.latest()), new ListOffsetsOptions(level))
                    .partitionResult(LINES)
                    .get()
                    .offset();
        }

        /** Who runs the source's task, if somebody does. */
        private Optional<ConnectWorker> worker() throws InterruptedException {
            Matcher task = TASK.matcher(state("source"));
            return task.find()
                    ? workers.stream()
                            .filter(worker -> worker.id().equals(task.group(1)))
                            .findAny()
                    : Optional.empty();
        }

        private String state(String connector) throws InterruptedException {
            for (ConnectWorker worker : workers) {
                String state = worker.isAlive() ? worker.ask("GET", "/connectors/" + connector + "/status", "") : null;
                if (state != null) {
                    return state;
                }
            }
            return "nobody says";
        }

        private void awaitTrue(String what, Callable<Boolean> condition) {
            try {
                await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> {
                    reader.check();
                    committed.check();
                    return condition.call();
                });
            } catch (ConditionTimeoutException e) {
                throw new AssertionError("%d committed; %s".formatted(committed.count(), states()), e);
            }
        }

        private String states() {
            try {
                return state("source") + state("sink");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return "";
            }
        }
    }

    /** What comes must be line 1, 2, 3 and so on. */
    private static final class CommittedLines {
        private final AtomicReference<@Nullable String> wrong = new AtomicReference<>();
        private volatile int count;

        @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread writes
        void came(@Nullable String key, String value) {
            count++;
            // The JSON of a string.
            if (!value.equals('"' + GrowingFile.line(count) + '"')) {
                wrong.compareAndSet(null, "not line " + count + ", but " + value);
            }
        }

        int count() {
            return count;
        }

        void check() {
            assertThat(wrong.get()).isNull();
        }
    }
}
