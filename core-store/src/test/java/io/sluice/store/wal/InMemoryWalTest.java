package io.sluice.store.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import org.junit.jupiter.api.Test;

class InMemoryWalTest extends WalContract {
    private static final Durability DEFERRED = new Durability(Durability.Copies.ACK_QUORUM, Durability.Sync.DEFER);

    private boolean crashed;
    private int survives;

    private final InMemoryWalStore store = new InMemoryWalStore(new InMemoryWalStore.Faults() {
        @Override
        public boolean crashed() {
            return crashed;
        }

        @Override
        public int surviving(int unsafe) {
            return Math.min(survives, unsafe);
        }
    });

    @Override
    protected WalStore connect() {
        return store;
    }

    @Test
    void aCrashTakesWhatWasNotForcedFromTheEnd() throws Exception {
        for (survives = 0; survives < 4; survives++) {
            crashed = false;
            LedgerWriter ledger = store.open(1, DEFERRED).startLedger();
            Appends appends = new Appends();
            appends.append(ledger, frame(0, 10));
            appends.append(ledger, frame(1, 10));
            appends.force(ledger);
            appends.append(ledger, frame(2, 10));
            appends.append(ledger, frame(3, 10));
            appends.allDurable();
            crashed = true;
            int left = 2 + Math.min(survives, 2);
            assertThat(replay(open(1), ledger.ledger())).hasSize(left);
            assertThat(replay(open(1), ledger.ledger())).hasSize(left);
        }
    }

    @Test
    void aCrashTakesNothingFromALogThatWaits() throws Exception {
        LedgerWriter ledger = open(1).startLedger();
        Appends appends = new Appends();
        appends.append(ledger, frame(0, 10));
        appends.allDurable();
        crashed = true;
        assertThat(replay(open(1), ledger.ledger())).hasSize(1);
    }
}
