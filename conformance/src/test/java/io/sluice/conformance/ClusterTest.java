package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.ClusterFaults.Fault;
import io.sluice.conformance.ClusterStores.Kind;
import io.sluice.conformance.ClusterStores.Metadata;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./sluice server} three times over a metadata store, three bookies and S3: nodes share the containers, come and go, have nothing of
 * their own, and are cut off from each other and from what they stand on, while clients work.
 *
 * <p>{@code -Dsluice.cluster.seed} repeats a run's faults. With {@code sluice.cluster.slow} the kinds that take half a
 * minute or more are drawn, too.
 */
class ClusterTest {
    private static final int RUNS = Integer.getInteger("sluice.cluster.runs", 1);
    /** Of each run, beside the stop of a node that all have. */
    private static final int FAULTS = Integer.getInteger("sluice.cluster.faults", 1);

    private static final boolean SLOW = Boolean.getBoolean("sluice.cluster.slow");
    /** Seconds for which a cable is cut, at most. */
    private static final int LONGEST = Integer.getInteger("sluice.cluster.longest", 4);
    /** Of the first run; each next one has the next. */
    private static final long SEED = Long.getLong("sluice.cluster.seed", System.nanoTime());
    /** Names of {@link Fault}, in place of what is drawn. */
    private static final String ONLY = System.getProperty("sluice.cluster.only", "");

    /** Over each protocol; more than may wait to be stored in S3. */
    private static final int BEFORE = 280;

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
                cluster.stores().startBookies();
                SluiceServer first = cluster.node(1);
                first.start();
                var records = new History("cluster");
                records.produce(first, BEFORE);
                records.awaitTiered(first);
                cluster.startAll();
                try (ClusterWork work = ClusterWork.start(folder, cluster.nodes())) {
                    reached("work");
                    strike(cluster, work, records);
                    reached("struck");
                    cluster.stop(2);
                    work.awaitProgress("node 2 is stopped");
                    records.readBack(cluster.node(1 + 2 * random.nextInt(2)));
                    work.finish(history.toString());
                    reached("finished");
                }
                cluster.stopAndAudit();
                reached("audited");
            }
        }

        private void strike(ClusterNodes cluster, ClusterWork work, History records) throws Exception {
            var faults = new ClusterFaults(folder, cluster, work, records, Duration.ofSeconds(LONGEST), random);
            history.add(faults);
            List<Fault> wanted =
                    ClusterFaults.drawn(random, cluster.hasNetwork(), SLOW).subList(0, FAULTS);
            if (!ONLY.isEmpty()) {
                wanted = Arrays.stream(ONLY.split(",")).map(Fault::valueOf).toList();
            }
            for (Fault each : wanted) {
                faults.strike(each);
            }
        }
    }
}
