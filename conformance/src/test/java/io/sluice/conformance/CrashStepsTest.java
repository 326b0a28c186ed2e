package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.CrashLoad;
import io.sluice.conformance.clients.KafkaCrashClient;
import io.sluice.conformance.clients.PulsarCrashClient;
import io.sluice.conformance.steps.AgentJar;
import io.sluice.conformance.steps.HaltAgent;
import io.sluice.conformance.steps.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The process ends in the middle of every step that makes data durable, moves it or lets go of it, while producers of both
 * protocols write. What the folder then holds is sound by {@code verify-data}, and every acknowledged record is read back once
 * and in order.
 *
 * <p>{@code -Dsluice.steps.rounds} for more rounds: each halts before and after every step.
 */
class CrashStepsTest {
    private static final int ROUNDS = Integer.getInteger("sluice.steps.rounds", 0);
    /** As many as there is time for in every build; each build has others. */
    private static final int OF_THE_STEPS = 2;

    private static final long SEED = Long.getLong("sluice.steps.seed", System.nanoTime());
    private static final Duration REACHED = Duration.ofMinutes(3);
    /** Up to 2 MB a second of each: some ledgers. */
    private static final CrashLoad.Shape LOAD = new CrashLoad.Shape(200, 4_000, 1, 2_000_000);

    /** Small ledgers and a short log, so that rolling, flushing and truncating go on all the time. */
    private static final String SETTINGS = "store: {containers: 2, ledgerBytes: 1048576, walLimitBytes: 8388608}";

    private static final String JOURNAL = "io/sluice/bookie/journal/";
    private static final String LOG = "io/sluice/store/wal/bookkeeper/";
    private static final String CONTAINER = "io/sluice/store/container/";
    private static final String OBJECTS = "io/sluice/tiering/objectstore/filesystem/";

    /** Durable when it returns. */
    private static final Step WRITE = new Step("write to the journal", JOURNAL + "OverwrittenChannel", "write", 200);

    private static final List<Step> STEPS = List.of(
            WRITE,
            new Step("a spare becomes the journal's file", JOURNAL + "SpareFiles", "take", 1),
            new Step("a file becomes a spare", JOURNAL + "SpareFiles", "give", 1),
            new Step("a spare is written", JOURNAL + "SpareFiles", "prepare", 2),
            new Step("repair of the journal's tail", "io/sluice/bookie/assembly/RepairJournalTail", "in", 1),
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

    @ParameterizedTest
    @MethodSource("steps")
    void aStepIsAMethodOfTheServer(Step step) {
        assertThat(step.isInServer()).isTrue();
    }

    static List<Step> steps() {
        return STEPS;
    }

    @Test
    void nothingAcknowledgedIsLostWhereverTheProcessEnds() throws Exception {
        Path agent = AgentJar.in(folder);
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"), SETTINGS, Map.of())) {
            List<CrashLoad> loads = loads(server);
            server.kill();
            for (Halt halt : halts()) {
                server.startToItsEnd(options(agent, halt.step, halt.before ? "before" : "after", halt.occurrence));
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
            finishAndCheck(loads);
        }
    }

    /** What the disk did not take may be there in part, and a second write that succeeds would say nothing of the first. */
    @Test
    void nothingIsAcknowledgedAfterAWriteThatFailed() throws Exception {
        Path agent = AgentJar.in(folder);
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"), SETTINGS, Map.of())) {
            List<CrashLoad> loads = loads(server);
            server.kill();
            server.startToItsEnd(options(agent, WRITE, "instead", 60));
            Path log = server.folder().resolve("logs/sluice.log");
            await().atMost(REACHED).until(() -> Files.readString(log).contains("Input/output error"));
            await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(20)).until(new Unchanged(loads));
            assertThat(server.awaitEnd(REACHED)).hasValue(1);
            await().untilAsserted(() -> assertThat(server.output()).contains("nothing can be made durable"));
            server.start();
            finishAndCheck(loads);
        }
    }

    private static List<CrashLoad> loads(SluiceServer server) throws Exception {
        List<CrashLoad> loads = List.of(
                new CrashLoad(new KafkaCrashClient(server.kafka(), "steps-kafka", 0, 2), LOAD),
                new CrashLoad(new KafkaCrashClient(server.kafka(), "steps-kafka", 1, 2), LOAD),
                new CrashLoad(new PulsarCrashClient(server.pulsar(), "steps-pulsar-0"), LOAD),
                new CrashLoad(new PulsarCrashClient(server.pulsar(), "steps-pulsar-1"), LOAD));
        loads.forEach(CrashLoad::start);
        CrashLoad.awaitProgress("seed " + SEED, loads);
        return loads;
    }

    private static void finishAndCheck(List<CrashLoad> loads) throws Exception {
        CrashLoad.awaitProgress("seed " + SEED, loads);
        for (CrashLoad load : loads) {
            load.finish();
        }
        for (CrashLoad load : loads) {
            load.checkNothingLost("seed " + SEED);
        }
    }

    private static String options(Path agent, Step step, String when, int occurrence) {
        return "-javaagent:%s=%s#%s,%s,%d".formatted(agent, step.type(), step.method(), when, occurrence);
    }

    /** No record was acknowledged since it was asked last. */
    private static final class Unchanged implements Callable<Boolean> {
        private final List<CrashLoad> loads;
        private long before = -1;

        Unchanged(List<CrashLoad> loads) {
            this.loads = loads;
        }

        @Override
        public Boolean call() {
            long now = loads.stream().mapToLong(CrashLoad::acknowledged).sum();
            boolean same = now == before;
            before = now;
            return same;
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
            halts.addAll(ROUNDS > 0 ? ofRound : ofRound.subList(0, OF_THE_STEPS));
        }
        return halts;
    }
}
