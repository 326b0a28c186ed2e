package io.sluice.broker.log.open;

import io.sluice.broker.log.CompactedView;
import io.sluice.broker.log.EntriesReply;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;

/** The view of a partition that has no entries, or of which nothing is known here. */
enum EmptyView implements CompactedView {
    HERE;

    @Override
    public long horizon() {
        return 0;
    }

    @Override
    public long last() {
        return -1;
    }

    @Override
    public long sizeBytes() {
        return 0;
    }

    @Override
    public boolean liesElsewhere() {
        return false;
    }

    @Override
    public int generation() {
        return 0;
    }

    @Override
    public void read(long offset, int maxBytes, EntriesReply reply) {
        reply.atEnd();
    }

    @Override
    public void replace(Companion by, long horizon, int generation, Durable done) {
        done.failed(new StoreFailure.NoSuchSegment(by.segment(), "the partition is not here"));
    }

    @Override
    public void drop(Durable done) {
        done.durable();
    }
}
