package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A ledger in memory. Guarded by its store. */
final class InMemoryLedger {
    final long id;
    final List<byte[]> frames = new ArrayList<>();
    final ArrayDeque<LedgerWriter.Callback> unanswered = new ArrayDeque<>();
    final boolean deferred;
    int acknowledged;
    /** As many as are safe from {@link InMemoryWalStore.Faults#crashed}. */
    int forced;

    boolean fenced;

    @Nullable
    WalException failed;

    InMemoryLedger(long id, boolean deferred) {
        this.id = id;
        this.deferred = deferred;
    }

    /** Nobody appends any more; of what is not safe {@code faults} says how much is there. What is left is safe then. */
    void fence(InMemoryWalStore.Faults faults) {
        if (!fenced) {
            fenced = true;
            int safe = deferred && faults.crashed() ? forced : acknowledged;
            keep(Math.max(0, safe + faults.surviving(frames.size() - safe)));
            forced = frames.size();
        }
    }

    void forceAll() {
        if (!fenced) {
            forced = acknowledged;
        }
    }

    void keep(int count) {
        frames.subList(count, frames.size()).clear();
        acknowledged = Math.min(acknowledged, count);
    }

    static WalException.Fenced fenced() {
        return new WalException.Fenced("fenced by a later owner", new IOException("fenced"));
    }

    static WalException.Unavailable closed() {
        return new WalException.Unavailable("closed", new IOException("closed"));
    }
}
