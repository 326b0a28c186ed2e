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
    int acknowledged;
    boolean fenced;

    @Nullable
    WalException failed;

    InMemoryLedger(long id) {
        this.id = id;
    }

    /** Nobody appends any more; of what was not acknowledged {@code faults} says how much is there. */
    void fence(InMemoryWalStore.Faults faults) {
        if (!fenced) {
            fenced = true;
            keep(Math.max(0, acknowledged + faults.surviving(frames.size() - acknowledged)));
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
