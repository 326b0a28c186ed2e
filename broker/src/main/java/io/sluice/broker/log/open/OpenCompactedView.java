package io.sluice.broker.log.open;

import io.sluice.broker.log.CompactedView;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.broker.log.read.ViewReads;
import io.sluice.broker.log.state.PartitionNote;
import io.sluice.broker.log.state.ViewPart;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;

/** The compacted view of a partition that is open here. */
final class OpenCompactedView implements CompactedView {
    private final PartitionStore store;
    private final ViewPart part;
    private final ViewReads reads;
    private final LogRetention retention;

    OpenCompactedView(PartitionStore store, ViewPart part, ViewReads reads, LogRetention retention) {
        this.store = store;
        this.part = part;
        this.reads = reads;
        this.retention = retention;
    }

    @Override
    public long horizon() {
        return part.now().horizon();
    }

    @Override
    public long last() {
        return part.now().length() == 0 ? -1 : part.now().last();
    }

    @Override
    public long sizeBytes() {
        return part.now().length();
    }

    @Override
    public boolean liesElsewhere() {
        return part.now().length() > 0
                && part.now().container() != store.container().id();
    }

    @Override
    public int generation() {
        return part.layout();
    }

    @Override
    public void read(long offset, int maxBytes, EntriesReply reply) {
        reads.read(offset, maxBytes, reply);
    }

    @Override
    public void replace(Companion by, long horizon, int generation, Durable done) {
        if (generation != part.layout()) {
            done.failed(new StoreFailure.OutOfRange(by.segment(), horizon, "the view is another one by now"));
        } else {
            put(viewOf(by, horizon), done);
        }
    }

    private PartitionNote.View viewOf(Companion companion, long horizon) {
        CompanionIndex index = companion.index();
        return new PartitionNote.View(
                store.container().id(),
                companion.segment(),
                companion.length(),
                horizon,
                index.last(),
                index.lastPosition(),
                index.points());
    }

    @Override
    public void drop(Durable done) {
        put(PartitionNote.View.none(store.container().id()), done);
    }

    private void put(PartitionNote.View next, Durable done) {
        StoreFailure why = store.closed();
        if (why != null) {
            done.failed(why);
            return;
        }
        PartitionNote.View before = part.now();
        store.note(Durable.IGNORED, next);
        if (before.length() > 0 && before.container() == store.container().id()) {
            store.container().delete(before.segment(), Durable.IGNORED);
        }
        retention.removeElsewhere();
        // Not the note: a log that defers the sync acknowledges what a failure can still take back.
        store.container().barrier(done);
    }
}
