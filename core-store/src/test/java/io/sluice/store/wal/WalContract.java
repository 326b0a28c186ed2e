package io.sluice.store.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every write-ahead log must do. One subclass per implementation, the in-memory one included. */
public abstract class WalContract {
    private static final int LARGEST_FRAME = (1 << 20) + 4096;
    private static final long TIMEOUT_SECONDS = 30;

    private final List<AutoCloseable> opened = new ArrayList<>();

    /** A store over the storage of this test, as a process of its own would open it. Called several times per test. */
    protected abstract WalStore connect() throws Exception;

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    @Test
    void aNewLogIsEmpty() throws Exception {
        Wal wal = open(1);
        assertThat(wal.recovered()).isEmpty();
        assertThat(wal.term()).isPositive();
    }

    @Test
    void everyOpenRaisesTheTerm() throws Exception {
        long first = open(1).term();
        long second = open(1).term();
        long third = open(1).term();
        assertThat(second).isGreaterThan(first);
        assertThat(third).isGreaterThan(second);
    }

    @Test
    void replaysAcknowledgedFramesInOrder() throws Exception {
        Wal wal = open(1);
        LedgerWriter ledger = wal.startLedger();
        Appends appends = new Appends();
        for (int i = 0; i < 300; i++) {
            appends.append(ledger, frame(i, 1 + i * 7));
        }
        appends.allDurable();

        Wal next = open(1);
        assertThat(next.recovered()).containsExactly(ledger.ledger());
        List<byte[]> frames = replay(next, ledger.ledger());
        assertThat(frames).hasSize(300);
        for (int i = 0; i < 300; i++) {
            assertThat(frames.get(i)).isEqualTo(bytes(i, 1 + i * 7));
        }
    }

    @Test
    void callsBackInOrderAndOnce() throws Exception {
        LedgerWriter ledger = open(1).startLedger();
        Appends appends = new Appends();
        for (int i = 0; i < 500; i++) {
            appends.append(ledger, frame(i, i % 2 == 0 ? 20_000 : 1));
        }
        appends.allDurable();
        assertThat(appends.order).hasSize(500).isSorted();
    }

    @Test
    void takesFramesOfEverySizeUpToTheLargest() throws Exception {
        Wal wal = open(1);
        LedgerWriter ledger = wal.startLedger();
        Appends appends = new Appends();
        for (int size : new int[] {1, 2, 4095, 4096, 4097, 1 << 20, LARGEST_FRAME}) {
            appends.append(ledger, frame(size, size));
        }
        appends.allDurable();
        assertThat(replay(open(1), ledger.ledger()))
                .extracting(each -> each.length)
                .containsExactly(1, 2, 4095, 4096, 4097, 1 << 20, LARGEST_FRAME);
    }

    @Test
    void borrowsTheFrameAndLeavesItsIndicesAlone() throws Exception {
        LedgerWriter ledger = open(1).startLedger();
        ByteBuf frame = frame(3, 1000);
        frame.readerIndex(100);
        Appends appends = new Appends();
        appends.append(ledger, frame);
        appends.allDurable();
        assertThat(frame.readerIndex()).isEqualTo(100);
        assertThat(frame.writerIndex()).isEqualTo(1000);
        assertThat(replay(open(1), ledger.ledger()).getFirst()).hasSize(900);
    }

    @Test
    void aLaterOwnerFencesTheEarlier() throws Exception {
        Wal old = open(1);
        LedgerWriter ledger = old.startLedger();
        Appends appends = new Appends();
        appends.append(ledger, frame(0, 10));
        appends.allDurable();

        Wal next = open(1);
        appends.append(ledger, frame(1, 10));
        assertThat(appends.outcome()).isInstanceOf(WalException.class);
        appends.append(ledger, frame(2, 10));
        assertThat(appends.outcome()).isInstanceOf(WalException.class);
        assertThat(replay(next, ledger.ledger())).hasSize(1);
    }

    @Test
    void aFencedOwnerMayNotChangeTheChain() throws Exception {
        Wal old = open(1);
        LedgerWriter first = old.startLedger();
        Wal next = open(1);
        assertThatThrownBy(old::startLedger).isInstanceOf(WalException.Fenced.class);
        assertThatThrownBy(() -> old.truncate(first.ledger() + 1)).isInstanceOf(WalException.Fenced.class);
        assertThat(next.recovered()).containsExactly(first.ledger());
        assertThat(open(1).recovered()).containsExactly(first.ledger());
    }

    @Test
    void ledgersRiseAndAreReplayedPerLedger() throws Exception {
        Wal wal = open(1);
        Appends appends = new Appends();
        List<Long> ledgers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            LedgerWriter ledger = wal.startLedger();
            ledgers.add(ledger.ledger());
            appends.append(ledger, frame(i, 100 + i));
        }
        appends.allDurable();
        assertThat(ledgers).isSorted().doesNotHaveDuplicates();

        Wal next = open(1);
        assertThat(next.recovered()).isEqualTo(ledgers);
        for (int i = 0; i < 4; i++) {
            assertThat(replay(next, ledgers.get(i))).singleElement().isEqualTo(bytes(i, 100 + i));
        }
        assertThat(next.startLedger().ledger()).isGreaterThan(ledgers.getLast());
    }

    @Test
    void theLedgerBeforeStaysWritable() throws Exception {
        Wal wal = open(1);
        LedgerWriter first = wal.startLedger();
        LedgerWriter second = wal.startLedger();
        Appends appends = new Appends();
        appends.append(second, frame(2, 50));
        appends.append(first, frame(1, 50));
        appends.allDurable();
        first.close();
        first.close();
        Wal next = open(1);
        assertThat(replay(next, first.ledger())).singleElement().isEqualTo(bytes(1, 50));
        assertThat(replay(next, second.ledger())).singleElement().isEqualTo(bytes(2, 50));
    }

    @Test
    void truncationDropsLedgersFromTheHead() throws Exception {
        Wal wal = open(1);
        LedgerWriter first = wal.startLedger();
        LedgerWriter second = wal.startLedger();
        LedgerWriter third = wal.startLedger();
        Appends appends = new Appends();
        appends.append(first, frame(1, 10));
        appends.append(second, frame(2, 10));
        appends.append(third, frame(3, 10));
        appends.allDurable();
        first.close();
        wal.truncate(second.ledger());
        wal.truncate(second.ledger());
        wal.truncate(first.ledger());
        appends.append(third, frame(4, 10));
        appends.allDurable();

        Wal next = open(1);
        assertThat(next.recovered()).containsExactly(second.ledger(), third.ledger());
        assertThat(replay(next, third.ledger())).hasSize(2);
    }

    @Test
    void aLaterOwnerTruncatesEarlierTerms() throws Exception {
        LedgerWriter old = open(1).startLedger();
        Appends appends = new Appends();
        appends.append(old, frame(1, 10));
        appends.allDurable();
        Wal next = open(1);
        LedgerWriter ledger = next.startLedger();
        appends.append(ledger, frame(2, 10));
        appends.allDurable();
        next.truncate(ledger.ledger());
        assertThat(open(1).recovered()).containsExactly(ledger.ledger());
    }

    @Test
    void aDeletedLogIsGone() throws Exception {
        Wal old = open(1);
        LedgerWriter ledger = old.startLedger();
        Appends appends = new Appends();
        appends.append(ledger, frame(1, 10));
        appends.allDurable();
        old.close();
        WalStore store = connect();
        opened.add(store);
        store.delete(1);
        store.delete(1);
        assertThat(open(1).recovered()).isEmpty();
    }

    @Test
    void everyOwnerReplaysTheSame() throws Exception {
        Wal wal = open(1);
        LedgerWriter ledger = wal.startLedger();
        Appends appends = new Appends();
        for (int i = 0; i < 20; i++) {
            appends.append(ledger, frame(i, 5000));
        }
        Wal second = open(1);
        List<byte[]> seen = replay(second, ledger.ledger());
        assertThat(replay(second, ledger.ledger())).hasSameSizeAs(seen);
        assertThat(replay(open(1), ledger.ledger())).hasSameSizeAs(seen);
        appends.allAnswered();
    }

    @Test
    void logsOfContainersAreIndependent() throws Exception {
        Wal one = open(1);
        Wal two = open(2);
        LedgerWriter ofOne = one.startLedger();
        LedgerWriter ofTwo = two.startLedger();
        open(2);
        Appends appends = new Appends();
        appends.append(ofOne, frame(1, 10));
        appends.allDurable();
        appends.append(ofTwo, frame(1, 10));
        assertThat(appends.outcome()).isNotNull();
    }

    @Test
    void aClosedLedgerReplaysWhole() throws Exception {
        Wal wal = open(1);
        LedgerWriter ledger = wal.startLedger();
        Appends appends = new Appends();
        appends.append(ledger, frame(1, 10));
        appends.allDurable();
        ledger.close();
        wal.close();
        wal.close();
        assertThat(replay(open(1), ledger.ledger())).hasSize(1);
    }

    @Test
    void whatTheReaderThrowsEndsTheReplay() throws Exception {
        LedgerWriter ledger = open(1).startLedger();
        Appends appends = new Appends();
        appends.append(ledger, frame(1, 10));
        appends.allDurable();
        WalException planted = new WalException.Corrupt("planted", new IOException("planted"));
        Wal next = open(1);
        assertThatThrownBy(() -> next.replay(ledger.ledger(), frame -> {
                    throw planted;
                }))
                .isSameAs(planted);
    }

    @Test
    void everyDurabilityReplaysWhatWasForced() throws Exception {
        for (Durability durability : everyDurability()) {
            Wal wal = open(1, durability);
            LedgerWriter ledger = wal.startLedger();
            Appends appends = new Appends();
            for (int i = 0; i < 100; i++) {
                appends.append(ledger, frame(i, 1 + i * 37));
            }
            appends.allDurable();
            force(ledger, appends);
            force(ledger, appends);
            List<byte[]> frames = replay(open(1), ledger.ledger());
            assertThat(frames).as("%s", durability).hasSize(100);
            for (int i = 0; i < 100; i++) {
                assertThat(frames.get(i)).isEqualTo(bytes(i, 1 + i * 37));
            }
        }
    }

    @Test
    void anEmptyLedgerIsForced() throws Exception {
        for (Durability durability : everyDurability()) {
            force(open(1, durability).startLedger(), new Appends());
        }
    }

    @Test
    void anOwnerThatIsRobbedLosesNothingThatWasAcknowledgedThoughItWasNotForced() throws Exception {
        for (Durability durability : everyDurability()) {
            Wal old = open(1, durability);
            LedgerWriter ledger = old.startLedger();
            Appends appends = new Appends();
            for (int i = 0; i < 50; i++) {
                appends.append(ledger, frame(i, 3_000));
                if (i == 20) {
                    appends.allDurable();
                    force(ledger, appends);
                }
            }
            appends.allDurable();
            Wal next = open(1, durability);
            appends.append(ledger, frame(50, 10));
            assertThat(appends.outcome()).isInstanceOf(WalException.class);
            for (int again = 0; again < 2; again++) {
                List<byte[]> frames = replay(again == 0 ? next : open(1), ledger.ledger());
                assertThat(frames).as("%s", durability).hasSize(50);
                assertThat(frames.getLast()).isEqualTo(bytes(49, 3_000));
            }
        }
    }

    @Test
    void closingALedgerOrTheLogForcesIt() throws Exception {
        for (Durability durability : everyDurability()) {
            Wal wal = open(1, durability);
            Appends appends = new Appends();
            LedgerWriter first = wal.startLedger();
            appends.append(first, frame(1, 10));
            appends.allDurable();
            first.close();
            LedgerWriter second = wal.startLedger();
            appends.append(second, frame(2, 10));
            appends.append(second, frame(3, 10));
            appends.allDurable();
            wal.close();
            Wal next = open(1);
            assertThat(replay(next, first.ledger())).as("%s", durability).hasSize(1);
            assertThat(replay(next, second.ledger())).as("%s", durability).hasSize(2);
        }
    }

    @Test
    void logsOfEveryDurabilityAreWrittenSideBySide() throws Exception {
        List<LedgerWriter> ledgers = new ArrayList<>();
        for (Durability durability : everyDurability()) {
            ledgers.add(open(ledgers.size(), durability).startLedger());
        }
        Appends appends = new Appends();
        for (int i = 0; i < 200; i++) {
            appends.append(ledgers.get(i % ledgers.size()), frame(i, 5_000));
        }
        appends.allAnswered();
        for (int container = 0; container < ledgers.size(); container++) {
            List<byte[]> frames = replay(open(container), ledgers.get(container).ledger());
            assertThat(frames).hasSize(200 / ledgers.size());
            assertThat(frames.getLast()).isEqualTo(bytes(200 - ledgers.size() + container, 5_000));
        }
    }

    private static List<Durability> everyDurability() {
        List<Durability> all = new ArrayList<>();
        for (Durability.Copies copies : Durability.Copies.values()) {
            for (Durability.Sync sync : Durability.Sync.values()) {
                all.add(new Durability(copies, sync));
            }
        }
        return all;
    }

    private static void force(LedgerWriter ledger, Appends appends) throws InterruptedException {
        appends.force(ledger);
        assertThat(appends.outcome()).isNull();
    }

    /** What the other tests open logs with. */
    protected Durability durability() {
        return Durability.DEFAULT;
    }

    protected final Wal open(int container) throws Exception {
        return open(container, durability());
    }

    private Wal open(int container, Durability durability) throws Exception {
        WalStore store = connect();
        opened.add(store);
        Wal wal = store.open(container, durability);
        opened.add(wal);
        return wal;
    }

    protected static List<byte[]> replay(Wal wal, long ledger) throws WalException {
        List<byte[]> frames = new ArrayList<>();
        wal.replay(ledger, frame -> frames.add(ByteBufUtil.getBytes(frame)));
        return frames;
    }

    protected static byte[] bytes(long seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    protected static ByteBuf frame(long seed, int size) {
        return Unpooled.directBuffer(size).writeBytes(bytes(seed, size));
    }

    /** Appends under way, their frames released at their callbacks. */
    public static final class Appends {
        private final BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
        final List<Integer> order = new ArrayList<>();
        private int appended;
        private int seen;

        public void append(LedgerWriter ledger, ByteBuf frame) {
            ledger.append(frame, told(frame));
        }

        void force(LedgerWriter ledger) {
            ledger.force(told(Unpooled.buffer(1)));
        }

        private LedgerWriter.Callback told(ByteBuf frame) {
            int number = appended++;
            return new LedgerWriter.Callback() {
                @Override
                public void durable() {
                    outcomes.add(new Outcome(number, frame, null));
                }

                @Override
                public void failed(WalException why) {
                    outcomes.add(new Outcome(number, frame, why));
                }
            };
        }

        public void allDurable() throws InterruptedException {
            while (seen < appended) {
                assertThat(outcome()).isNull();
            }
        }

        /** How many are durable, once all are answered. */
        public int acknowledged() throws InterruptedException {
            int durable = 0;
            while (seen < appended) {
                durable += outcome() == null ? 1 : 0;
            }
            return durable;
        }

        void allAnswered() throws InterruptedException {
            while (seen < appended) {
                outcome();
            }
        }

        @Nullable
        WalException outcome() throws InterruptedException {
            Outcome outcome = outcomes.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            assertThat(outcome).as("a callback within %d s", TIMEOUT_SECONDS).isNotNull();
            seen++;
            order.add(outcome.number());
            assertThat(outcome.frame().refCnt()).as("the frame is borrowed").isPositive();
            outcome.frame().release();
            return outcome.why();
        }

        private record Outcome(
                int number, ByteBuf frame, @Nullable WalException why) {}
    }
}
