package io.sluice.store.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.WalException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogSyncsTest {
    private final ArrayDeque<LedgerWriter.Callback> forces = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private final LedgerWriter ledger = new Ledger();

    private final LogSyncs syncs = new LogSyncs(true, new Host());

    /** Whose forces are answered when the test says so. */
    private final class Ledger implements LedgerWriter {
        @Override
        public long ledger() {
            return 1;
        }

        @Override
        public void append(ByteBuf frame, Callback callback) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force(Callback callback) {
            forces.add(callback);
        }

        @Override
        public void close() {}
    }

    private final class Host implements LogSyncs.Host {
        @Override
        public void forcing() {
            told.add("forcing");
        }

        @Override
        public void forced() {
            told.add("forced");
        }

        @Override
        public void post(Runnable onLoop) {
            onLoop.run();
        }

        @Override
        public void lost(WalException why) {
            told.add("lost: " + why.getMessage());
        }
    }

    private Durable waiter(String name) {
        return Durable.of(() -> told.add(name), why -> told.add(name + " failed"));
    }

    @Test
    void aLittleIsForcedAfterTenMilliseconds() {
        syncs.acknowledged(ledger, 100, 1_000_000);
        assertThat(syncs.dueAt()).isEqualTo(1_010_000);
        assertThat(syncs.turn(1_009_999, false)).isZero();
        assertThat(syncs.turn(1_010_000, false)).isEqualTo(1);
        assertThat(syncs.idle()).isFalse();
        forces.remove().durable();
        assertThat(syncs.idle()).isTrue();
        assertThat(told).containsExactly("forcing", "forced");
        assertThat(syncs.dueAt()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void muchIsForcedAtOnceAndSoIsWhatSomebodyWaitsFor() {
        syncs.acknowledged(ledger, (int) LogSyncs.MOST_BYTES, 0);
        assertThat(syncs.turn(0, false)).isEqualTo(1);
        forces.remove().durable();
        syncs.acknowledged(ledger, 1, 0);
        assertThat(syncs.turn(0, false)).isZero();
        syncs.whenSynced(waiter("a")).durable();
        assertThat(syncs.turn(0, false)).isEqualTo(1);
        forces.remove().durable();
        syncs.acknowledged(ledger, 1, 0);
        assertThat(syncs.turn(0, true)).as("the container closes").isEqualTo(1);
        assertThat(told).containsExactly("forcing", "forced", "forcing", "forced", "a", "forcing");
    }

    @Test
    void oneForceAtATimeAndWhatComesMeanwhileIsInTheNext() {
        syncs.acknowledged(ledger, 1, 0);
        syncs.whenSynced(waiter("first")).durable();
        syncs.turn(0, false);
        syncs.acknowledged(ledger, 1, 1);
        syncs.whenSynced(waiter("second")).durable();
        assertThat(syncs.turn(1, false)).isZero();
        forces.remove().durable();
        assertThat(told).containsExactly("forcing", "forced", "first");
        assertThat(syncs.turn(2, false)).isEqualTo(1);
        forces.remove().durable();
        assertThat(told).endsWith("second");
    }

    @Test
    void whoWaitsForNothingNewIsToldWithTheForceUnderWay() {
        syncs.whenSynced(waiter("idle")).durable();
        syncs.acknowledged(ledger, 1, 0);
        syncs.turn(20_000, false);
        syncs.whenSynced(waiter("late")).durable();
        assertThat(told).containsExactly("idle", "forcing");
        forces.remove().durable();
        assertThat(told).containsExactly("idle", "forcing", "forced", "late");
    }

    @Test
    void anotherLedgerBeginsOnceTheOneBeforeIsSynced() {
        assertThat(syncs.mayRoll()).isTrue();
        syncs.acknowledged(ledger, 1, 0);
        assertThat(syncs.mayRoll()).isFalse();
        assertThat(syncs.turn(0, false)).as("at once").isEqualTo(1);
        assertThat(syncs.mayRoll()).isFalse();
        forces.remove().durable();
        assertThat(syncs.mayRoll()).isTrue();
    }

    @Test
    void aForceThatFailsOrIsNotAnsweredEndsTheTerm() {
        syncs.acknowledged(ledger, 1, 0);
        syncs.whenSynced(waiter("a")).durable();
        syncs.turn(0, false);
        syncs.turn(200_000_000, false);
        forces.remove().failed(new WalException.Unavailable("broken", null));
        syncs.fail(new StoreFailure.NotOwner(1, "over"));
        assertThat(told)
                .containsExactly("forcing", "lost: the log does not answer a force", "lost: broken", "a failed");
    }

    @Test
    void aLogThatWaitsHasNothingToForce() {
        LogSyncs none = new LogSyncs(false, new Host());
        Durable waiter = waiter("a");
        assertThat(none.whenSynced(waiter)).isSameAs(waiter);
        none.acknowledged(ledger, 1 << 30, 0);
        assertThat(none.turn(1_000_000, true)).isZero();
        assertThat(none.mayRoll()).isTrue();
        assertThat(forces).isEmpty();
    }
}
