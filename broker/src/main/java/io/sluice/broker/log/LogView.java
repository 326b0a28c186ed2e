package io.sluice.broker.log;

import io.sluice.broker.log.OffsetIndex.Point;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;

/** The compacted view of a partition that is open here. */
final class LogView implements CompactedView {
    private final SegmentPartitionLog log;
    private final ViewPart part;
    private final ReadPlaces places = new ReadPlaces();

    LogView(SegmentPartitionLog log, PartitionState state) {
        this.log = log;
        this.part = state.view();
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
                && part.now().container() != log.container().id();
    }

    @Override
    public int generation() {
        return part.layout();
    }

    @Override
    public void read(long offset, int maxBytes, EntriesReply reply) {
        if (log.closed() != null) {
            reply.failed(log.closed());
        } else if (sizeBytes() == 0 || offset >= horizon()) {
            reply.atEnd();
        } else {
            int bytes = Math.clamp(maxBytes, 1, LogReads.MAX_READ);
            new Read(offset, bytes, reply).start(placeOf(offset), null);
        }
    }

    private long placeOf(long offset) {
        if (offset == part.now().last()) {
            return part.now().lastPosition();
        }
        Point place = places.nearest(part.layout(), part.now().index(), offset);
        return place.position();
    }

    private final class Read extends EntryRead {
        Read(long offset, int maxBytes, EntriesReply reply) {
            super(log, part, offset, horizon(), maxBytes, reply);
        }

        @Override
        void readTo(long next, long position, int bytes) {
            log.reads().count(offset, next, bytes);
            places.add(part.layout(), next, position);
        }

        @Override
        boolean endsHere() {
            finish();
            reply.atEnd();
            return true;
        }

        @Override
        void again() {
            LogView.this.read(offset, maxBytes, reply);
        }

        @Override
        void fail(StoreFailure why) {
            reply.failed(why);
        }
    }

    @Override
    public void replace(Companion by, long horizon, int generation, Durable done) {
        if (generation != part.layout()) {
            done.failed(new StoreFailure.OutOfRange(by.segment(), horizon, "the view is another one by now"));
        } else {
            CompanionIndex index = by.index();
            put(
                    new PartitionNote.View(
                            log.container().id(),
                            by.segment(),
                            by.length(),
                            horizon,
                            index.last,
                            index.lastPosition,
                            index.index),
                    done);
        }
    }

    @Override
    public void drop(Durable done) {
        put(PartitionNote.View.none(log.container().id()), done);
    }

    private void put(PartitionNote.View next, Durable done) {
        if (log.closed() != null) {
            done.failed(log.closed());
            return;
        }
        PartitionNote.View before = part.now();
        log.note(Durable.IGNORED, next);
        if (before.length() > 0 && before.container() == log.container().id()) {
            log.container().delete(before.segment(), Durable.IGNORED);
        }
        log.removeElsewhere();
        // Not the note: a log that defers the sync acknowledges what a failure can still take back.
        log.container().barrier(done);
    }
}
