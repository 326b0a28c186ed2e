package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.pulsar.client.api.PulsarClient;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link ExactlyOnceTest} with Pulsar's clients: two processes on one shared subscription and one on a failover subscription consume,
 * produce and acknowledge in transactions, and one consumes by Pulsar and produces by Kafka, while the server and they are killed. All that
 * was committed comes out of the three subscriptions once, nothing that was aborted, no transaction stays open, and nothing is left to
 * acknowledge.
 *
 * <p>In no order: what a killed pipe had acknowledged comes again when its transaction times out, behind what others read meanwhile.
 */
class PulsarExactlyOnceTest {
    private static final int RUNS = Integer.getInteger("sluice.exactly.runs", 1);
    private static final int ROUNDS = Integer.getInteger("sluice.exactly.rounds", 1);
    /** Of the first run; each next one has the next. */
    private static final long SEED = Long.getLong("sluice.exactly.seed", System.nanoTime());

    private static final int PARTITIONS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Pattern BACKLOG = Pattern.compile("\"msgBacklog\"\\s*:\\s*(\\d+)");

    /** What happens once in each round, in random order. */
    private enum Blow {
        SERVER,
        SHARED_PIPE,
        FAILOVER_PIPE,
        PIPE_OF_BOTH,
    }

    /** Kept when the test fails: the only witness. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    @Test
    void everyMessageComesOutOnceWhateverIsKilled() throws Exception {
        for (int run = 0; run < RUNS; run++) {
            Path ofRun = Files.createDirectory(folder.resolve("run-" + run));
            try (SluiceServer server = SluiceServer.start(ofRun.resolve("data"))) {
                createTopics(server);
                try (PulsarClient client = PulsarClients.builder(server.pulsar())
                                .enableTransaction(true)
                                .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                                .build();
                        var first = pipe(server, ofRun, "shared-0", "results", "Shared");
                        var second = pipe(server, ofRun, "shared-1", "results", "Shared");
                        var failover = pipe(server, ofRun, "failover", "copies", "Failover");
                        var both = pipeOfBoth(server, ofRun)) {
                    new Course(SEED + run, server, client, List.of(first, second), failover, both).run();
                }
            } catch (Throwable e) {
                throw new AssertionError("run %d, sluice.exactly.seed %d".formatted(run, SEED + run), e);
            }
        }
    }

    private static RunningClient pipe(SluiceServer server, Path folder, String name, String to, String type) {
        String jars = System.getProperty("java.class.path");
        return new RunningClient(
                jars, folder, name, PulsarPipe.class, server.pulsar(), "numbers", to, "of-" + to, type);
    }

    private static RunningClient pipeOfBoth(SluiceServer server, Path folder) {
        String jars = System.getProperty("java.class.path");
        String name = "both";
        return new RunningClient(
                jars, folder, name, PipeOfBoth.class, server.pulsar(), server.kafka(), "numbers", "records", name);
    }

    private static void createTopics(SluiceServer server) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            admin.createTopics(Stream.of("numbers", "results", "copies", "records")
                            .map(topic -> new NewTopic(topic, PARTITIONS, (short) 1))
                            .toList())
                    .all()
                    .get();
        }
    }

    /** From the first input to the last check. */
    private static final class Course {
        private final Random random;
        private final SluiceServer server;
        private final PulsarClient client;
        private final List<RunningClient> shared;
        private final RunningClient failover;
        private final RunningClient both;
        private final ExactlyOnceBooks results = new ExactlyOnceBooks(false);
        private final ExactlyOnceBooks copies = new ExactlyOnceBooks(false);
        private final ExactlyOnceBooks records = new ExactlyOnceBooks(false);
        private final PulsarExactlyOnceInput input;
        private final List<CommittedReader> readers;

        Course(
                long seed,
                SluiceServer server,
                PulsarClient client,
                List<RunningClient> shared,
                RunningClient failover,
                RunningClient both) {
            this.random = new Random(seed);
            this.server = server;
            this.client = client;
            this.shared = shared;
            this.failover = failover;
            this.both = both;
            this.input = new PulsarExactlyOnceInput(seed, client, "numbers", List.of(results, copies, records));
            this.readers = List.of(
                    new PulsarCommittedReader(client, "results", results::came),
                    new PulsarCommittedReader(client, "copies", copies::came),
                    new KafkaCommittedReader(server.kafka(), "records", records::came));
        }

        private Stream<RunningClient> pipes() {
            return Stream.concat(shared.stream(), Stream.of(failover, both));
        }

        void run() throws Exception {
            pipes().forEach(RunningClient::start);
            input.start();
            readers.forEach(CommittedReader::start);
            for (int round = 0; round < ROUNDS; round++) {
                List<Blow> blows = new ArrayList<>(List.of(Blow.values()));
                Collections.shuffle(blows, random);
                for (Blow blow : blows) {
                    awaitProgress();
                    LockSupport.parkNanos(Duration.ofMillis(random.nextInt(400)).toNanos());
                    strike(blow);
                }
            }
            awaitProgress();
            input.finish();
            awaitTrue("all comes out", () -> results.allCame() && copies.allCame() && records.allCame());
            new OpenTransactions(server.kafka()).awaitNone(PATIENCE);
            awaitTrue("nothing is left to acknowledge", this::nothingLeft);
            for (CommittedReader reader : readers) {
                reader.finish();
            }
            readAgain("results", results);
            readAgain("copies", copies);
            readAgain("records", records);
        }

        private void strike(Blow blow) {
            switch (blow) {
                case SERVER -> {
                    server.kill();
                    server.start();
                }
                case SHARED_PIPE -> shared.get(random.nextInt(shared.size())).killAndStart();
                case FAILOVER_PIPE -> failover.killAndStart();
                case PIPE_OF_BOTH -> both.killAndStart();
            }
        }

        /** All subscriptions go on. */
        private void awaitProgress() {
            long before = results.came();
            long beforeOfCopies = copies.came();
            long beforeOfRecords = records.came();
            awaitTrue(
                    "goes on",
                    () -> results.came() > before
                            && copies.came() > beforeOfCopies
                            && records.came() > beforeOfRecords);
        }

        private boolean nothingLeft() throws Exception {
            String stats = server.get("/admin/v2/persistent/public/default/numbers/partitioned-stats");
            List<String> backlogs = BACKLOG.matcher(stats)
                    .results()
                    .map(found -> found.group(1))
                    .toList();
            assertThat(backlogs).as(stats).isNotEmpty();
            return backlogs.stream().allMatch("0"::equals);
        }

        private interface Condition {
            boolean holds() throws Exception;
        }

        private void awaitTrue(String what, Condition condition) {
            try {
                await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
                    input.check();
                    readers.forEach(CommittedReader::check);
                    pipes().forEach(pipe ->
                            assertThat(pipe.isAlive()).as(pipe::output).isTrue());
                    return condition.holds();
                });
            } catch (ConditionTimeoutException e) {
                throw new AssertionError(
                        "not the same: " + results.difference() + "\n" + copies.difference() + "\n"
                                + records.difference(),
                        e);
            }
        }

        /** Who reads later gets the same. */
        private void readAgain(String topic, ExactlyOnceBooks books) throws Exception {
            var again = new ExactlyOnceBooks(false);
            new PulsarCommittedReader(client, topic, again::came).readToTheEnd();
            assertThat(again.came()).isEqualTo(books.came());
        }
    }
}
