package io.sluice.broker.log.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.state.Extent;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * Reads on through a partition until the subclass has what it looks for: from the cache at once, from long-term storage and from
 * other containers as it arrives. Answers that come at once do not deepen the stack. What is held is always of one extent. When the
 * partition is compacted meanwhile, so that positions come to mean other bytes, it begins anew.
 */
abstract class PiecewiseRead implements ReadReply {
    private final ExtentSource extents;
    private final EntrySource source;
    private final int layout;
    private @Nullable ByteBuf bytes;
    /** Position of the first readable one of {@link #bytes}. */
    private long from;

    /** The cache has just been asked for the bytes at {@link #from}, and lacks them. */
    private boolean uncached;

    private boolean running;
    private boolean over;

    PiecewiseRead(ExtentSource extents, EntrySource source) {
        this.extents = extents;
        this.source = source;
        this.layout = source.layout();
    }

    /**
     * Looks at what has been read; {@link #position} is where {@code read} begins. Either answers, with {@link #finish} or
     * {@link #take}, and returns 0, or returns how many bytes it wants next.
     *
     * @param read borrowed, reader index at the first byte; empty at the start
     */
    abstract int look(ByteBuf read);

    /** There is nothing more where an entry may begin. True if that was answered, with {@link #finish}. */
    boolean endsHere() {
        return false;
    }

    /** Nothing is held any more; answer. */
    abstract void fail(StoreFailure why);

    /** Nothing is held any more; another read takes over. */
    abstract void again();

    /** @param first bytes from {@code position} on, which are taken over, or null */
    final void start(long position, @Nullable ByteBuf first) {
        from = position;
        bytes = first;
        run();
    }

    /** Starts at a position of this container that {@link ExtentSource#readCached} has just been asked for in vain. */
    final void startUncached(long position) {
        uncached = true;
        start(position, null);
    }

    final long position() {
        return from;
    }

    /** End of what may be read now. */
    final long limit() {
        return source.limit();
    }

    /** As {@code position} of the partition is called where operators look for it. */
    final String place(long position) {
        Extent extent = source.at(position);
        return "position " + extent.inSegment(position) + " of segment " + extent.segment();
    }

    private void run() {
        running = true;
        int wanted = 1;
        while (!over && wanted > 0) {
            if (layout != source.layout()) {
                finish();
                again();
                break;
            }
            ByteBuf read = bytes;
            wanted = look(read == null ? Unpooled.EMPTY_BUFFER : read);
            if (wanted > 0 && !fetch(wanted)) {
                break;
            }
        }
        running = false;
    }

    /** Whether the bytes are there already. */
    private boolean fetch(int wanted) {
        int have = bytes == null ? 0 : bytes.readableBytes();
        Extent extent = source.at(from);
        if (have == 0) {
            from = Math.max(from, extent.position());
        }
        long at = from + have;
        int size = (int) Math.min(wanted, Math.min(source.limit(), extent.end()) - at);
        if (size <= 0 && have == 0 && endsHere()) {
            return false;
        }
        if (size <= 0) {
            failed(new StoreFailure.Corrupt("an entry of segment " + extent.segment() + " goes on past the end"));
            return false;
        }
        if (uncached) {
            uncached = false;
            extents.readUncached(extent, at, size, this);
        } else {
            extents.read(extent, at, size, this);
        }
        int now = bytes == null ? 0 : bytes.readableBytes();
        return over || now > have;
    }

    private void add(ByteBuf data) {
        ByteBuf first = bytes;
        if (first == null) {
            bytes = data;
        } else if (first instanceof CompositeByteBuf all && all.maxNumComponents() == Integer.MAX_VALUE) {
            all.addComponent(true, data);
        } else {
            bytes = Unpooled.compositeBuffer(Integer.MAX_VALUE)
                    .addComponent(true, first)
                    .addComponent(true, data);
        }
    }

    @Override
    public final void data(long position, ByteBuf data) {
        add(data);
        if (!running) {
            run();
        }
    }

    @Override
    public final void failed(StoreFailure why) {
        finish();
        if (layout != source.layout()) {
            again();
        } else {
            fail(why);
        }
    }

    /** Passes over {@code length} of the bytes read, without letting them go. */
    final void advance(int length) {
        if (bytes != null) {
            bytes.skipBytes(length);
            from += length;
        }
    }

    /** Forgets what has been read and goes on at {@code position}. */
    final void skipTo(long position) {
        drop();
        from = position;
    }

    /** Ends the read; what was read is let go. */
    final void finish() {
        over = true;
        drop();
    }

    /** Ends the read; {@code length} bytes from {@code index} of what was read are the caller's, the rest is let go. */
    final ByteBuf take(int index, int length) {
        ByteBuf all = bytes;
        if (all == null) {
            throw new IllegalStateException("nothing has been read");
        }
        over = true;
        bytes = null;
        return all.slice(index, length);
    }

    private void drop() {
        ByteBuf all = bytes;
        bytes = null;
        if (all != null) {
            all.release();
        }
    }
}
