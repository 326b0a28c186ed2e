package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.CrashLoad;
import io.sluice.conformance.clients.KafkaCrashClient;
import io.sluice.conformance.clients.PulsarCrashClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing acknowledged is lost: producers of both protocols write while the server is killed, again and again, at moments a
 * seeded generator picks; from the middle on, partitions move between containers all the while. Afterwards every acknowledged
 * record is read back once, in order, per partition, and the stored data is whole.
 */
class CrashTest {
    private static final int KILLS = Integer.getInteger("sluice.crash.kills", 2);
    private static final long SEED = Long.getLong("sluice.crash.seed", System.nanoTime());
    private static final int PARTITIONS = 4;
    /** Two thousand records a second from all: many are on their way at each kill, and the next start has the processor, too. */
    private static final CrashLoad.Shape LOAD = new CrashLoad.Shape(500, 100, 1, 4_000_000);

    /** Kept when the test fails: the only witness. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    @Test
    void everyAcknowledgedRecordSurvivesKillMinusNine() throws Exception {
        var random = new Random(SEED);
        try (SluiceServer server =
                SluiceServer.start(folder.resolve("data"), "store: {containers: " + Moves.CONTAINERS + "}", Map.of())) {
            List<CrashLoad> loads = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                loads.add(new CrashLoad(
                        new KafkaCrashClient(server.kafka(), "crash-kafka", partition, PARTITIONS), LOAD));
                loads.add(new CrashLoad(new PulsarCrashClient(server.pulsar(), "crash-pulsar-" + partition), LOAD));
            }
            loads.forEach(CrashLoad::start);
            var moves = new Moves(server, random.nextLong(), movable());
            for (int kill = 0; kill < KILLS; kill++) {
                awaitProgress(loads);
                if (kill == KILLS / 2) {
                    moves.start();
                }
                LockSupport.parkNanos(Duration.ofMillis(random.nextInt(400)).toNanos());
                server.kill();
                server.start();
            }
            awaitProgress(loads);
            int moved = moves.finish(KILLS + 1);
            for (CrashLoad load : loads) {
                load.finish();
            }
            assertThat(moved).as("moves, seed %d", SEED).isGreaterThan(KILLS);
            for (CrashLoad load : loads) {
                check(load);
            }
            server.stop();
            SluiceServer.Outcome verified = server.run("verify-data");
            assertThat(verified.exitCode()).as(verified.output()).isZero();
        }
    }

    private static List<Moves.Partition> movable() {
        List<Moves.Partition> all = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            all.add(new Moves.Partition("crash-kafka", partition));
            all.add(new Moves.Partition("persistent://public/default/crash-pulsar-" + partition, 0));
        }
        return all;
    }

    private static void awaitProgress(List<CrashLoad> loads) {
        CrashLoad.awaitProgress("seed " + SEED, loads);
    }

    private static void check(CrashLoad load) throws Exception {
        load.checkNothingLost("seed " + SEED);
        assertThat(load.acknowledged()).as("%s did write", load).isGreaterThan(KILLS);
    }
}
