package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.ClusterFaults.Fault;
import io.sluice.conformance.ClusterStores.Kind;
import io.sluice.conformance.ClusterStores.Metadata;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./sluice server} three times over a metadata store, three bookies and S3: nodes share the containers, come and go, have nothing of
 * their own, and are cut off from each other and from what they stand on, while clients work.
 *
 * <p>{@code -Dsluice.cluster.seed} repeats a run's faults. With {@code sluice.cluster.faults} below 0 a run has all kinds.
 */
class ClusterTest {
    private static final int RUNS = Integer.getInteger("sluice.cluster.runs", 1);
    /** Of each run, beside those that all have: a node is replaced, one is paused, one is stopped. */
    private static final int FAULTS = Integer.getInteger("sluice.cluster.faults", 1);
    /** Seconds for which a cable is cut, at most. */
    private static final int LONGEST = Integer.getInteger("sluice.cluster.longest", 4);
    /** Of the first run; each next one has the next. */
    private static final long SEED = Long.getLong("sluice.cluster.seed", System.nanoTime());
    /** Names of {@link Fault}, in place of what is drawn. */
    private static final String ONLY = System.getProperty("sluice.cluster.only", "");

    /** Over each protocol; more than may wait to be stored in S3. */
    private static final int BEFORE = 280;

    private static final int AFTER = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Kept when the test fails: the only witness. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    @Test
    void aStepIsAMethodOfTheServer() {
        assertThat(ClusterFaults.PREPARED.isInServer()).isTrue();
    }

    @Test
    void nothingAcknowledgedIsLostWhateverHappensToNodesAndWhatTheyStandOn() throws Exception {
        for (int run = 0; run < RUNS; run++) {
            Path own = Files.createDirectory(folder.resolve("run-" + run));
            var trial = new Trial(own, new Random(SEED + run), metadata(run));
            long start = System.nanoTime();
            try {
                trial.run();
                System.out.printf(
                        "run %d, sluice.cluster.seed %d, %d s: %s%n",
                        run,
                        SEED + run,
                        Duration.ofNanos(System.nanoTime() - start).toSeconds(),
                        trial.history);
            } catch (Throwable e) {
                throw new AssertionError(
                        "run %d, sluice.cluster.seed %d: %s".formatted(run, SEED + run, trial.history), e);
            }
        }
    }

    /** Of every other run, ZooKeeper first, unless {@code sluice.cluster.metadata} says which. */
    private static Metadata metadata(int run) {
        String wanted = System.getProperty("sluice.cluster.metadata", "");
        return wanted.isEmpty() ? Metadata.values()[run % Metadata.values().length] : Metadata.valueOf(wanted);
    }

    private static final class Trial {
        private final Path folder;
        private final Random random;
        private final Metadata metadata;
        private final List<Kind> bookies;
        /** For the message of a failure. */
        private final List<Object> history = new ArrayList<>();

        private final long start = System.nanoTime();

        Trial(Path folder, Random random, Metadata metadata) {
            this.folder = folder;
            this.random = random;
            this.metadata = metadata;
            bookies = new ArrayList<>(List.of(Kind.STOCK, Kind.OURS, Kind.values()[random.nextInt(2)]));
            Collections.shuffle(bookies, random);
            history.add(metadata);
            history.add(bookies);
        }

        /** Notes how long it took to get so far. */
        private void reached(String what) {
            history.add("%s %d s"
                    .formatted(what, Duration.ofNanos(System.nanoTime() - start).toSeconds()));
        }

        void run() throws Exception {
            try (ClusterNodes cluster = ClusterNodes.of(folder, metadata, bookies)) {
                CompletableFuture<Ended> unreachable = inBackground(() -> unreachable(cluster));
                cluster.stores().startBookies();
                SluiceServer first = cluster.node(1);
                first.start();
                var records = new History("cluster");
                records.produce(first, BEFORE);
                records.awaitTiered(first);
                cluster.startAll();
                CompletableFuture<Ended> fewBookies = inBackground(() -> tooFewBookies(cluster));
                try (ClusterWork work = ClusterWork.start(folder, cluster.nodes())) {
                    reached("work");
                    aNodeIsReplaced(cluster, work, records);
                    reached("replaced");
                    strike(cluster, work);
                    reached("struck");
                    cluster.stop(2);
                    work.awaitProgress("node 2 is stopped");
                    records.readBack(cluster.node(1 + 2 * random.nextInt(2)));
                    work.finish(history.toString());
                    reached("finished");
                }
                unreachable
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .assertOneLine("metadata.url: the metadata store at zk:127.0.0.1:1 does not answer");
                fewBookies
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .assertOneLine("bookkeeper.ackQuorum is 4, but 3 bookies");
            }
        }

        private static CompletableFuture<Ended> inBackground(Callable<Ended> command) {
            var ended = new CompletableFuture<Ended>();
            Thread.ofVirtual().start(() -> {
                try {
                    ended.complete(command.call());
                } catch (Throwable e) {
                    ended.completeExceptionally(e);
                }
            });
            return ended;
        }

        private static Ended unreachable(ClusterNodes cluster) throws Exception {
            String settings = cluster.settings(8).replaceFirst("url: '[^']*", "url: 'zk:127.0.0.1:1");
            return cluster.sluice("unreachable", settings, "server");
        }

        private static Ended tooFewBookies(ClusterNodes cluster) throws Exception {
            String settings = cluster.settings(7)
                    .replaceFirst("(?m)^bookkeeper: .*$", "bookkeeper: {ensemble: 4, writeQuorum: 4, ackQuorum: 4}");
            return cluster.sluice("too-few", settings, "server");
        }

        /** It is killed, and its folder goes: it has nothing that is needed. */
        private void aNodeIsReplaced(ClusterNodes cluster, ClusterWork work, History records) throws Exception {
            SluiceServer first = cluster.node(1);
            SluiceServer second = cluster.node(2);
            String ofSecond = "security: {allowAnonymous: true}\n" + cluster.settings(2);
            CompletableFuture<Ended> twice = inBackground(() -> cluster.sluice("twice", ofSecond, "server"));
            first.kill();
            delete(first.folder());
            cluster.awaitServedWithout(1);
            work.awaitProgress("node 1 is gone");
            records.readBack(second);
            records.produce(second, AFTER);
            Ended status = cluster.status();
            assertThat(status.output()).endsWith("""
                    Not well    1
                      node-1 is dead: it has not renewed its lease, and has not stopped in order
                    """);
            assertThat(status.code()).isEqualTo(1);
            assertThat(cluster.sluice("forget", cluster.settings(9), "cluster", "forget-node", "1"))
                    .isEqualTo(new Ended(0, "Forgot node-1\n"));
            assertThat(cluster.status().output()).endsWith("All is well.\n");
            twice.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .assertOneLine("cluster.nodeId: a process with the number 2 runs already");
            cluster.startAll();
            records.readBack(first);
        }

        private void strike(ClusterNodes cluster, ClusterWork work) throws Exception {
            var faults = new ClusterFaults(folder, cluster, work, Duration.ofSeconds(LONGEST), random);
            history.add(faults);
            List<Fault> drawn = ClusterFaults.drawn(random, cluster.hasNetwork(), FAULTS < 0);
            List<Fault> wanted = new ArrayList<>(FAULTS < 0 ? drawn : drawn.subList(0, FAULTS));
            if (!wanted.contains(Fault.NODE_PAUSED)) {
                wanted.add(Fault.NODE_PAUSED);
            }
            if (!ONLY.isEmpty()) {
                wanted = Arrays.stream(ONLY.split(",")).map(Fault::valueOf).toList();
            }
            for (Fault each : wanted) {
                faults.strike(each);
            }
        }

        private static void delete(Path root) throws IOException {
            try (Stream<Path> all = Files.walk(root)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
