package io.sluice.broker.log.read;

import io.sluice.broker.log.CompactedView;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.index.OffsetIndex.Point;
import io.sluice.broker.log.state.Extent;
import io.sluice.broker.log.state.ViewPart;
import io.sluice.store.segment.StoreFailure;

/** Reads of a partition's compacted view. Loop only. */
public final class ViewReads implements EntrySource {
    private final ExtentSource source;
    private final ViewPart view;
    private final LogReads all;
    private final ReadPositionHints hints = new ReadPositionHints();

    /** @param all counts what is read here, too */
    public ViewReads(ExtentSource source, ViewPart view, LogReads all) {
        this.source = source;
        this.view = view;
        this.all = all;
    }

    @Override
    public Extent at(long position) {
        return view.extent();
    }

    @Override
    public long limit() {
        return view.now().length();
    }

    @Override
    public int layout() {
        return view.layout();
    }

    /** See {@link CompactedView#read}. */
    public void read(long offset, int maxBytes, EntriesReply reply) {
        StoreFailure why = source.closed();
        if (why != null) {
            reply.failed(why);
        } else if (limit() == 0 || offset >= view.now().horizon()) {
            reply.atEnd();
        } else {
            int bytes = Math.clamp(maxBytes, 1, LogReads.MAX_READ);
            new Read(offset, bytes, reply).start(positionOf(offset), null);
        }
    }

    private long positionOf(long offset) {
        if (offset == view.now().last()) {
            return view.now().lastPosition();
        }
        Point point = hints.nearest(layout(), view.now().index(), offset);
        return point.position();
    }

    private final class Read extends EntryRead {
        Read(long offset, int maxBytes, EntriesReply reply) {
            super(source, ViewReads.this, offset, view.now().horizon(), maxBytes, reply);
        }

        @Override
        void readTo(long next, long position, int bytes) {
            all.count(offset, next, bytes);
            hints.add(layout(), next, position);
        }

        @Override
        boolean endsHere() {
            finish();
            reply.atEnd();
            return true;
        }

        @Override
        void again() {
            ViewReads.this.read(offset, maxBytes, reply);
        }

        @Override
        void fail(StoreFailure why) {
            reply.failed(why);
        }
    }
}
