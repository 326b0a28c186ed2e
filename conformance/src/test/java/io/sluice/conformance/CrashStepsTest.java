package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.steps.AgentJar;
import io.sluice.conformance.steps.HaltAgent;
import io.sluice.conformance.steps.Step;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process ends in the middle of every step that makes data durable, moves it or lets go of it, while producers of both
 * protocols write. What the folder then holds is sound by {@code verify-data}, and every acknowledged record is read back once
 * and in order.
 *
 * <p>{@code -Dsluice.steps.rounds} for more rounds: each halts before and after every step.
 */
class CrashStepsTest {
    private static final int ROUNDS = Integer.getInteger("sluice.steps.rounds", 0);
    private static final long SEED = Long.getLong("sluice.steps.seed", System.nanoTime());
    private static final Duration REACHED = Duration.ofSeconds(60);

    /** Small ledgers and a short log, so that rolling, flushing and truncating go on all the time. */
    private static final String SETTINGS = "store: {containers: 2, ledgerBytes: 1048576, walLimitBytes: 8388608}";

    private static final String JOURNAL = "io/sluice/server/journal/";
    private static final String LOG = "io/sluice/store/wal/bookkeeper/";
    private static final String CONTAINER = "io/sluice/store/container/";
    private static final String OBJECTS = "io/sluice/tiering/objectstore/filesystem/";

    private static final List<Step> STEPS = List.of(
            new Step("write to the journal", JOURNAL + "OverwrittenChannel", "write", 200),
            new Step("fsync of the journal", JOURNAL + "OverwrittenChannel", "force", 200),
            new Step("a spare becomes the journal's file", JOURNAL + "SpareFiles", "take", 1),
            new Step("a file becomes a spare", JOURNAL + "SpareFiles", "give", 1),
            new Step("a spare is written", JOURNAL + "SpareFiles", "prepare", 2),
            new Step("repair of the journal's tail", "io/sluice/server/embedded/RepairJournalTail", "in", 1),
            new Step("ledger roll", LOG + "BookKeeperWal", "startLedger", 8),
            new Step("end of a ledger", LOG + "BookKeeperLedgerWriter", "close", 4),
            new Step("truncation of the log", LOG + "BookKeeperWal", "truncate", 4),
            new Step("delete of a ledger", JOURNAL + "JournalLedgerStorage", "deleteLedger", 4),
            new Step("checkpoint", CONTAINER + "Sequencer", "checkpoint", 6),
            new Step("intent of an upload", CONTAINER + "ContainerTier", "sequenceIntent", 4),
            new Step("upload", OBJECTS + "DirectoryObjectStore", "put", 4),
            new Step("rename of an object", OBJECTS + "DirectWriter", "write", 4),
            new Step("commit of an upload", CONTAINER + "ContainerTier", "sequenceCommit", 4),
            new Step("write to the metadata", "io/sluice/store/cluster/PulsarMetadata", "put", 30),
            new Step("lease taken", "io/sluice/store/cluster/ContainerLease", "acquire", 2),
            new Step("lease renewed", "io/sluice/store/cluster/ContainerLease", "renew", 2));

    /** Kept when the test fails: the only witness. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    /** @param before else after */
    private record Halt(Step step, boolean before, int occurrence) {
        @Override
        public String toString() {
            return (before ? "before " : "after ") + step.name() + ", occurrence " + occurrence;
        }
    }

    @Test
    void nothingAcknowledgedIsLostWhereverTheProcessEnds() throws Exception {
        Path agent = AgentJar.in(folder);
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"), SETTINGS, Map.of())) {
            List<CrashLoad> loads = List.of(
                    new CrashLoad(new KafkaCrashClient(server.kafka(), "steps-kafka", 0, 2), 200, 2_000),
                    new CrashLoad(new KafkaCrashClient(server.kafka(), "steps-kafka", 1, 2), 200, 2_000),
                    new CrashLoad(new PulsarCrashClient(server.pulsar(), "steps-pulsar-0"), 200, 2_000),
                    new CrashLoad(new PulsarCrashClient(server.pulsar(), "steps-pulsar-1"), 200, 2_000));
            loads.forEach(CrashLoad::start);
            CrashLoad.awaitProgress("seed " + SEED, loads);
            server.kill();
            for (Halt halt : halts()) {
                String options = "-javaagent:%s=%s#%s,%s,%d"
                        .formatted(
                                agent,
                                halt.step.type(),
                                halt.step.method(),
                                halt.before ? "before" : "after",
                                halt.occurrence);
                server.startToItsEnd(options);
                OptionalInt end = server.awaitEnd(REACHED);
                if (end.isEmpty() || end.getAsInt() != HaltAgent.EXIT_CODE) {
                    server.kill();
                    throw new AssertionError(
                            "seed %d, %s: not reached, exit code %s%n%s".formatted(SEED, halt, end, server.output()));
                }
                loads.forEach(CrashLoad::acknowledged);
            }
            SluiceServer.Outcome verified = server.run("verify-data");
            assertThat(verified.output()).as("seed %d", SEED).contains("No findings");
            assertThat(verified.exitCode()).isZero();
            server.start();
            CrashLoad.awaitProgress("seed " + SEED, loads);
            for (CrashLoad load : loads) {
                load.finish();
            }
            for (CrashLoad load : loads) {
                load.checkNothingLost("seed " + SEED);
            }
        }
    }

    private static List<Halt> halts() {
        Random random = new Random(SEED);
        List<Halt> halts = new ArrayList<>();
        for (int round = 0; round < Math.max(1, ROUNDS); round++) {
            List<Halt> ofRound = new ArrayList<>();
            for (Step step : STEPS) {
                boolean before = random.nextBoolean();
                ofRound.add(new Halt(step, before, 1 + random.nextInt(step.often())));
                if (ROUNDS > 0) {
                    ofRound.add(new Halt(step, !before, 1 + random.nextInt(step.often())));
                }
            }
            Collections.shuffle(ofRound, random);
            halts.addAll(ofRound);
        }
        return halts;
    }
}
