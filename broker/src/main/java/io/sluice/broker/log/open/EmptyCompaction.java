package io.sluice.broker.log.open;

import io.sluice.broker.log.CompactionTarget;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** Compaction of a partition that has no entries, or of which nothing is known here. */
enum EmptyCompaction implements CompactionTarget {
    HERE;

    private static final Boundary START = new Boundary(0, 0);

    @Override
    public long compactedTo() {
        return 0;
    }

    @Override
    public Boundary cleanableTo(long olderThan) {
        return START;
    }

    @Override
    public Boundary boundary(long offset) {
        return START;
    }

    @Override
    public long bytesBetween(long from, long to) {
        return 0;
    }

    @Override
    public long timeOf(long offset) {
        return -1;
    }

    /** It may, elsewhere. */
    @Override
    public boolean has(long segment) {
        return true;
    }

    @Override
    public void replace(long companion, long length, CompanionIndex index, Boundary end, Durable done) {
        done.failed(new StoreFailure.NoSuchSegment(companion, "the partition is not here"));
    }

    @Override
    public boolean liesElsewhere() {
        return false;
    }

    @Override
    public @Nullable Boundary elsewhereTo() {
        return null;
    }

    @Override
    public void gather(long companion, long length, CompanionIndex index, Boundary end, Durable done) {
        replace(companion, length, index, end, done);
    }
}
