package io.sluice.store.container;

import static io.sluice.store.container.ContainerRig.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.pressure.PressureConfig;
import io.sluice.store.read.ReadConfig;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.InMemoryTier;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import io.sluice.testing.ExpectedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ledgers roll and go, the cache fills and empties, the tier takes over. */
@ExpectedLog({
    "more than its cache of",
    "could not open a ledger, will try again",
    "could not drop ledgers, will try again"
})
class ContainerSpaceTest {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    private boolean flushing;
    private boolean uploadsFail;
    private final ContainerRig rig = new ContainerRig();

    ContainerSpaceTest() {
        rig.config = new ContainerConfig(
                new ContainerConfig.Log(64 * KIB, 4, 256 * KIB, 512 * KIB, 4 * MIB),
                256 * KIB,
                2_000_000,
                1_000_000,
                PressureConfig.DEFAULT,
                ReadConfig.DEFAULT);
        rig.cacheBytes = 16 * MIB;
        rig.tierFaults = new InMemoryTier.Faults() {
            @Override
            public boolean flush(long untiered, double pressure) {
                return flushing && untiered > 0;
            }

            @Override
            public void later(String what, Runnable step) {
                if (!(uploadsFail && what.equals("upload"))) {
                    step.run();
                }
            }
        };
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void rollsIntoLedgersThatBeginWithTheStateReplayGives() throws Exception {
        rig.open();
        rig.create(1);
        rig.create(2);
        appendAndSettle(1, 30, 100 * KIB);
        appendAndSettle(2, 20, 1 * KIB);
        assertThat(chain()).hasSizeGreaterThan(4);

        Wal reader = rig.wal.open(ContainerRig.CONTAINER);
        StoredState stored = new StoredState(ModelRider::create);
        stored.check(reader, rig.container().segments(), rig.cacheBytes);
        assertThat(stored.compared()).isGreaterThan(3);
        rig.open();
        assertThat(info(1).durableLength()).isEqualTo(30 * 100 * KIB);
        assertThat(rig.readAll(1, 0, 100 * KIB)).isEqualTo(random(0, 100 * KIB));
    }

    /** What is gone for a moment, as while a machine is started again, is not. */
    @Test
    void aLedgerThatIsNotPlacedWellIsReplacedAfterAWhile() {
        AtomicLong worn = new AtomicLong(-1);
        ContainerRig losing = new ContainerRig(new InMemoryWalStore(new InMemoryWalStore.Faults() {
            @Override
            public boolean worn(long ledger) {
                return ledger == worn.get();
            }
        }));
        try (losing) {
            losing.open();
            losing.create(1);
            losing.append(1, random(0, KIB));
            losing.settle();
            long first = losing.wal.chain(ContainerRig.CONTAINER).getLast();
            for (int times = 0; times < 5; times++) {
                worn.set(first);
                passSeconds(losing, 9);
                worn.set(-1);
                passSeconds(losing, 1);
            }
            assertThat(losing.wal.chain(ContainerRig.CONTAINER)).endsWith(first);
            worn.set(first);
            passSeconds(losing, 11);
            assertThat(losing.wal.chain(ContainerRig.CONTAINER)).endsWith(first + 1);
            passSeconds(losing, 30);
            assertThat(losing.wal.chain(ContainerRig.CONTAINER)).endsWith(first + 1);
            losing.append(1, random(1, KIB));
            losing.settle();
            losing.open();
            assertThat(losing.readAll(1, KIB, 2 * KIB)).isEqualTo(random(1, KIB));
        }
    }

    private static void passSeconds(ContainerRig rig, int seconds) {
        for (int i = 0; i < seconds; i++) {
            rig.pass(1_000_000);
            rig.settle();
        }
    }

    @Test
    void dropsLedgersOnceTheirBytesAreInTheTier() {
        rig.open();
        rig.create(1);
        flushing = true;
        appendAndSettle(1, 200, 100 * KIB);
        assertThat(chain().size()).isLessThan(4);
        assertThat(info(1).tieredLength()).isEqualTo(200L * 100 * KIB);
        for (int i : new int[] {0, 77, 199}) {
            assertThat(rig.readAll(1, i * 100L * KIB, (i + 1) * 100L * KIB)).isEqualTo(random(i, 100 * KIB));
        }
        rig.open();
        assertThat(rig.readAll(1, 0, 100 * KIB)).isEqualTo(random(0, 100 * KIB));
        assertThat(info(1).durableLength()).isEqualTo(200L * 100 * KIB);
    }

    @ParameterizedTest
    @ValueSource(strings = {"truncate", "start"})
    void aStepThatALibraryBreaksIsTriedAgain(String step) {
        AtomicReference<Throwable> planted = new AtomicReference<>();
        ContainerRig broken = new ContainerRig(new InMemoryWalStore(new InMemoryWalStore.Faults() {
            @Override
            public @Nullable WalException refuse(String what, int container) {
                if (what.equals(step) && planted.get() != null) {
                    ContainerSpaceTest.<RuntimeException>throwAsIs(planted.get());
                }
                return null;
            }
        }));
        broken.config = rig.config;
        broken.cacheBytes = rig.cacheBytes;
        broken.tierFaults = rig.tierFaults;
        try (broken) {
            broken.open();
            broken.create(1);
            flushing = true;
            for (Throwable failure : List.of(new IllegalStateException("planted"), new LinkageError("planted"))) {
                planted.set(failure);
                for (int i = 0; i < 15; i++) {
                    broken.append(1, random(i, 100 * KIB));
                    broken.settle();
                }
                planted.set(null);
                broken.pass(20_000_000);
                broken.settle();
                broken.pass(1_000_000);
            }
            for (int i = 0; i < 20; i++) {
                broken.append(1, random(i, 100 * KIB));
                broken.settle();
            }
            broken.pass(1_000_000);
            ContainerStats stats = Objects.requireNonNull(broken.container().stats());
            assertThat(stats.stepFailures()).isPositive();
            assertThat(stats.log().ledgers()).isLessThan(4);
            assertThat(broken.wal.chain(ContainerRig.CONTAINER)).hasSizeLessThan(4);
        }
    }

    private static <E extends Throwable> void throwAsIs(Throwable failure) throws E {
        @SuppressWarnings("unchecked")
        E unchecked = (E) failure;
        throw unchecked;
    }

    @Test
    void keepsLedgersWhileTheTierIsBehind() {
        rig.open();
        rig.create(1);
        rig.create(2);
        appendAndSettle(1, 10, 100 * KIB);
        long first = chain().getFirst();
        appendAndSettle(2, 10, 100 * KIB);
        assertThat(chain().getFirst()).isEqualTo(first);
        flushing = true;
        appendAndSettle(2, 10, 100 * KIB);
        assertThat(chain().getFirst()).isGreaterThan(first);
    }

    @Test
    void truncationAndDeletionFreeTheLogAndTheObjects() {
        rig.open();
        rig.create(1);
        rig.create(2);
        appendAndSettle(1, 15, 100 * KIB);
        appendAndSettle(2, 15, 100 * KIB);
        assertThat(chain()).hasSizeGreaterThan(4);
        rig.container().segments().truncate(1, info(1).length(), new ContainerRig.Outcome());
        rig.container().segments().delete(2, new ContainerRig.Outcome());
        rig.settle();
        assertThat(chain()).hasSizeLessThan(4);

        flushing = true;
        appendAndSettle(1, 5, 100 * KIB);
        assertThat(rig.objects.count()).isPositive();
        rig.container().segments().truncate(1, info(1).length(), new ContainerRig.Outcome());
        rig.settle();
        rig.pass(2_000);
        rig.settle();
        assertThat(rig.objects.count()).isZero();
    }

    @Test
    void writersWaitWhenTheLogIsFullAndGoOnWhenItIsNot() {
        rig.open();
        rig.create(1);
        uploadsFail = true;
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            queueAppend(1, random(i, 100 * KIB), outcomes);
        }
        for (int i = 0; i < 1000; i++) {
            rig.pass(1_000);
        }
        int through = outcomes.size();
        assertThat(through).isBetween(10, 60);
        assertThat(outcomes).containsOnly("durable");

        uploadsFail = false;
        flushing = true;
        for (int i = 0; i < 900; i++) {
            rig.pass(1_000);
        }
        assertThat(outcomes).hasSize(100).containsOnly("durable");
        for (int i = 0; i < 100; i++) {
            assertThat(rig.readAll(1, i * 100L * KIB, (i + 1) * 100L * KIB)).isEqualTo(random(i, 100 * KIB));
        }
    }

    @Test
    void writersAreRefusedAfterTheDeadlineWhileTasksGoOn() {
        rig.open();
        rig.create(1);
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            queueAppend(1, random(i, 100 * KIB), outcomes);
        }
        for (int i = 0; i < 2500; i++) {
            rig.pass(1_000);
        }
        assertThat(outcomes).hasSize(100).contains("durable", "Overloaded");
        List<String> ran = new ArrayList<>();
        rig.container().segments().execute(LoopTask.of(() -> ran.add("task")));
        rig.pass(10);
        assertThat(ran).containsExactly("task");
        assertThat(rig.events).containsExactly("serving 1");
    }

    @Test
    void whoIsPatientWaitsUntilThereIsRoom() {
        rig.open();
        rig.create(1);
        uploadsFail = true;
        List<String> refusable = new ArrayList<>();
        List<String> patient = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            queueAppend(1, random(2L * i, 50 * KIB), patient, true);
            queueAppend(1, random(2L * i + 1, 50 * KIB), refusable);
        }
        for (int i = 0; i < 300; i++) {
            rig.pass(100_000);
        }
        assertThat(refusable).hasSize(100).contains("durable", "Overloaded");
        assertThat(patient).hasSizeBetween(10, 90).containsOnly("durable");
        uploadsFail = false;
        flushing = true;
        for (int i = 0; i < 300; i++) {
            rig.pass(10_000);
        }
        assertThat(patient).hasSize(100).containsOnly("durable");
    }

    @Test
    void readersThatHoldTheCacheDelayWritersAndHurtNothing() {
        rig.open();
        rig.create(1);
        flushing = true;
        List<ByteBuf> held = new ArrayList<>();
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            queueAppend(1, random(i, 100 * KIB), outcomes);
            rig.pass(100);
            rig.pass(100);
            ByteBuf pinned =
                    i < outcomes.size() ? rig.container().segments().readCached(1, i * 100L * KIB, 100 * KIB) : null;
            if (pinned != null) {
                held.add(pinned);
            }
        }
        for (int i = 0; i < 100; i++) {
            rig.pass(1_000);
        }
        assertThat(outcomes).hasSizeLessThan(400).containsOnly("durable");
        held.forEach(ByteBuf::release);
        for (int i = 0; i < 1000; i++) {
            rig.pass(1_000);
        }
        assertThat(outcomes).hasSize(400).containsOnly("durable");
        assertThat(rig.events).containsExactly("serving 1");
    }

    @Test
    void aCacheThatWasLargerIsNoReasonNotToServe() {
        longLog();
        rig.open();
        for (long segment = 1; segment <= 3; segment++) {
            rig.create(segment);
        }
        for (int i = 0; i < 100; i++) {
            rig.append(1 + i % 3, random(i, 100 * KIB));
            rig.settle();
        }
        rig.cacheBytes = 4 * MIB;
        flushing = true;
        int storing = 0;
        while (!reopened()) {
            assertThat(rig.container().storedAhead()).isTrue();
            assertThat(++storing).isLessThan(8);
        }

        assertThat(storing).isPositive();
        for (int i = 0; i < 100; i++) {
            long at = i / 3 * 100L * KIB;
            assertThat(rig.readAll(1 + i % 3, at, at + 100 * KIB)).isEqualTo(random(i, 100 * KIB));
        }
        assertThat(rig.append(1, random(0, KIB)).result).isEqualTo("pending");
        rig.settle();
        assertThat(info(1).durableLength()).isEqualTo(34 * 100L * KIB + KIB);
    }

    @Test
    void whatTheTierHasByTheEndOfTheLogNeedsNoRoomInASmallerCache() {
        longLog();
        rig.open();
        rig.create(1);
        appendAndSettle(1, 100, 100 * KIB);
        flushing = true;
        for (int i = 0; i < 1000; i++) {
            rig.pass(2_000);
        }
        rig.settle();
        assertThat(info(1).tieredLength()).isEqualTo(info(1).length());
        assertThat(chain().getFirst()).isEqualTo(1);
        rig.cacheBytes = 4 * MIB;
        assertThat(reopened()).isTrue();
        assertThat(rig.readAll(1, 99 * 100 * KIB, 100 * 100 * KIB)).isEqualTo(random(99, 100 * KIB));
    }

    /** Opens the next term; says whether it serves, or has ended without. */
    private boolean reopened() {
        rig.open();
        String term = " " + rig.container().term();
        for (int i = 0; i < 1000 && !rig.events.getLast().contains(term); i++) {
            rig.pass(1_000);
        }
        rig.settle();
        return rig.events.getLast().equals("serving" + term);
    }

    /** The log holds more than the cache will. */
    private void longLog() {
        rig.config = new ContainerConfig(
                new ContainerConfig.Log(64 * KIB, 4, 256 * KIB, 16 * MIB, 64 * MIB),
                256 * KIB,
                2_000_000,
                1_000_000,
                PressureConfig.DEFAULT,
                rig.config.reads());
    }

    @Test
    void tenThousandSegmentsAreRecovered() {
        rig.open();
        ContainerRig.Outcome last = new ContainerRig.Outcome();
        for (int i = 1; i <= 10_000; i++) {
            rig.container()
                    .segments()
                    .create(i, ContainerRig.KIND, Unpooled.copiedBuffer(new byte[] {1, 2, 0}), last(i, last));
            if (i % 100 == 0) {
                rig.settle();
            }
        }
        rig.settle();
        assertThat(last.result).isEqualTo("durable");
        appendAndSettle(10_000, 10, 100 * KIB);
        rig.open();
        assertThat(rig.events.getLast()).isEqualTo("serving 2");
        assertThat(info(10_000).durableLength()).isEqualTo(1000 * KIB);
        assertThat(info(5_000).kind()).isEqualTo(ContainerRig.KIND);
    }

    @Test
    void aRidersSnapshotMayBeLargerThanAFrame() {
        rig.open();
        rig.container()
                .segments()
                .create(
                        1,
                        ContainerRig.KIND,
                        Unpooled.copiedBuffer(new byte[] {1, 2, (byte) 200}),
                        new ContainerRig.Outcome());
        appendAndSettle(1, 20, 100 * KIB);
        assertThat(chain()).hasSizeGreaterThan(2);
        rig.open();
        assertThat(info(1).durableLength()).isEqualTo(2000 * KIB);
    }

    private static ContainerRig.Outcome last(int i, ContainerRig.Outcome last) {
        return i == 10_000 ? last : new ContainerRig.Outcome();
    }

    private void appendAndSettle(long segment, int count, int bytes) {
        for (int i = 0; i < count; i++) {
            rig.append(segment, random(i, bytes));
            rig.settle();
            rig.pass(1_000);
        }
        rig.settle();
    }

    private void queueAppend(long segment, byte[] bytes, List<String> outcomes) {
        queueAppend(segment, bytes, outcomes, false);
    }

    private void queueAppend(long segment, byte[] bytes, List<String> outcomes, boolean patient) {
        rig.container().segments().executeAppend(new LoopTask() {
            @Override
            public void run() {
                rig.container()
                        .segments()
                        .append(
                                segment,
                                Unpooled.wrappedBuffer(bytes),
                                Durable.of(() -> outcomes.add("durable"), why -> outcomes.add("failed")));
            }

            @Override
            public void abandoned(StoreFailure why) {
                outcomes.add(why.getClass().getSimpleName());
            }

            @Override
            public boolean patient() {
                return patient;
            }
        });
    }

    private List<Long> chain() {
        return rig.wal.chain(ContainerRig.CONTAINER);
    }

    private SegmentInfo info(long segment) {
        return Objects.requireNonNull(rig.container().segments().info(segment));
    }
}
