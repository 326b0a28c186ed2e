package io.sluice.broker.compaction;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/** Decides which records survive compaction, for a pass from the start of the partition. One thread. */
public final class Survivors {
    private final OffsetMap newest;
    private final long end;
    private final long now;
    private final long deleteRetentionMillis;
    private final boolean ofView;
    /** Producers of committed transactions of which something stays, and whose marker has not come yet. */
    private final Set<Long> committed = new HashSet<>();

    /** @param end offset before which all is compacted */
    Survivors(OffsetMap newest, long end, long now, long deleteRetentionMillis) {
        this(newest, end, now, deleteRetentionMillis, false);
    }

    private Survivors(OffsetMap newest, long end, long now, long deleteRetentionMillis, boolean ofView) {
        this.newest = newest;
        this.end = end;
        this.now = now;
        this.deleteRetentionMillis = deleteRetentionMillis;
        this.ofView = ofView;
    }

    /** Survivors in a view, which needs no placeholder for a position; tombstones go at the next compaction. */
    static Survivors ofView(OffsetMap newest, long now) {
        return new Survivors(newest, Long.MIN_VALUE, now, 0, true);
    }

    /** Whether they are those of a view, beside which the log has everything. */
    public boolean isView() {
        return ofView;
    }

    /** The last offset that was told for the key; -1 if none was. */
    public long newest(ByteBuffer key) {
        return newest.offset(key);
    }

    /** Whether no later record with this key counts. */
    public boolean isNewest(ByteBuffer key, long offset) {
        return offset >= newest.offset(key);
    }

    /**
     * Whether the entry with this last offset stays though no record of it does: a reader of what is committed could not get over a hole
     * that ends where the first open transaction begins.
     */
    public boolean isLast(long lastOffset) {
        return lastOffset + 1 == end;
    }

    /** Milliseconds since the epoch; the same throughout. */
    public long now() {
        return now;
    }

    /** How long tombstones and markers stay after they were compacted for the first time. */
    public long deleteRetentionMillis() {
        return deleteRetentionMillis;
    }

    /** A record of the producer's committed transaction stays, and so does the transaction's marker; a view has no markers. */
    public void stays(long producer) {
        if (!ofView) {
            committed.add(producer);
        }
    }

    /** The producer's transaction ends here; whether a record of it stays. */
    public boolean hasLeft(long producer) {
        return committed.remove(producer);
    }
}
