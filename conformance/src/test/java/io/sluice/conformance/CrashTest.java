package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing acknowledged is lost: producers of both protocols write while the server is killed, again and again, at moments a
 * seeded generator picks. Afterwards every acknowledged record is read back once, in order, per partition.
 */
class CrashTest {
    private static final int KILLS = Integer.getInteger("sluice.crash.kills", 20);
    private static final long SEED = Long.getLong("sluice.crash.seed", System.nanoTime());
    private static final int PARTITIONS = 4;

    /** Kept when the test fails: the only witness. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    @Test
    void everyAcknowledgedRecordSurvivesKillMinusNine() throws Exception {
        var random = new Random(SEED);
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"))) {
            List<CrashLoad> loads = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                loads.add(new CrashLoad(new KafkaCrashClient(server.kafka(), "crash-kafka", partition, PARTITIONS)));
                loads.add(new CrashLoad(new PulsarCrashClient(server.pulsar(), "crash-pulsar-" + partition)));
            }
            loads.forEach(CrashLoad::start);
            for (int kill = 0; kill < KILLS; kill++) {
                awaitProgress(loads);
                LockSupport.parkNanos(Duration.ofMillis(random.nextInt(400)).toNanos());
                server.kill();
                server.start();
            }
            awaitProgress(loads);
            for (CrashLoad load : loads) {
                load.finish();
            }
            for (CrashLoad load : loads) {
                check(load);
            }
        }
    }

    /** After each restart every producer gets at least one more acknowledgement before the next kill. */
    private static void awaitProgress(List<CrashLoad> loads) {
        Map<CrashLoad, Long> before = new HashMap<>();
        loads.forEach(load -> before.put(load, load.acknowledged()));
        await("seed " + SEED + ": every producer goes on")
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> loads.stream().allMatch(load -> load.acknowledged() > before.getOrDefault(load, 0L)));
    }

    private static void check(CrashLoad load) throws Exception {
        List<Long> acknowledged = load.acknowledgedNumbers();
        List<Long> read = load.readBack();
        // By hand: with hundreds of thousands of numbers the library's own comparisons take minutes.
        for (int n = 1; n < read.size(); n++) {
            if (read.get(n) <= read.get(n - 1)) {
                throw new AssertionError(
                        "seed %d, %s: %d comes after %d".formatted(SEED, load, read.get(n), read.get(n - 1)));
            }
        }
        Set<Long> missing = new TreeSet<>(acknowledged);
        missing.removeAll(new HashSet<>(read));
        assertThat(missing).as("seed %d, %s: acknowledged and lost", SEED, load).isEmpty();
        assertThat(acknowledged.size()).as("%s did write", load).isGreaterThan(KILLS);
    }
}
