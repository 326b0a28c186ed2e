package io.sluice.broker.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * One connection's part in the {@link RequestMemory}. On the connection's event loop, but for what says otherwise.
 *
 * <pre>
 *   mostToRead ─► read from the socket ─► received ─► frames taken out ─► holds: true ─► ...
 *                                                                          false ─► (later) Reader.readOn ─► holds
 * </pre>
 */
public final class ConnectionMemory extends ReservedRead {
    private final RequestMemory memory;
    private final ProtocolShare share;
    private final Reader reader;

    private final AtomicLong progress = new AtomicLong();
    private final AtomicLong held = new AtomicLong();
    private volatile long missing;
    private volatile boolean completedOne;
    private boolean closed;

    /** That came to its end; event loop only. */
    private int largestFrame;

    /** Since it got its place; event loop only. */
    private boolean frameEnded;

    private long seenProgress;
    private boolean seenHolding;
    private volatile int quietLooks;

    /** The connection as the memory sees it. */
    public interface Reader {
        /** There is room: the connection asks {@link #holds} again. Any thread. */
        void readOn();

        /** Its frame has stopped arriving and its memory is wanted: the connection is to close. Any thread. */
        void tooSlow();
    }

    /** For a connection of the share's protocol that has opened. */
    public ConnectionMemory(ProtocolShare share, Reader reader) {
        this.memory = share.memory();
        this.share = share;
        this.reader = reader;
        memory.opened(this);
    }

    /** Bytes that the next read may bring at most. */
    public int mostToRead(int wanted) {
        if (!share.isOver()) {
            if (memory.ample()) {
                return wanted;
            }
            long mayCome = reservation;
            if (mayCome > RequestMemory.LEAST_READ) {
                return (int) Math.min(wanted, mayCome);
            }
        }
        return Math.min(wanted, RequestMemory.LEAST_READ);
    }

    /** A read has brought {@code bytes}. */
    public void received(int bytes) {
        progress.lazySet(progress.getPlain() + bytes);
        if (reservation > 0) {
            memory.giveBackReservation(this, bytes);
        }
    }

    /**
     * So many frames came to their end.
     *
     * @param largest bytes of the largest of them
     */
    public void completed(int frames, int largest) {
        progress.lazySet(progress.getPlain() + (long) frames * RequestMemory.LEAST_PROGRESS);
        if (frames > 0) {
            frameEnded = true;
            largestFrame = Math.max(largestFrame, largest);
            if (!completedOne) {
                completedOne = true;
            }
        }
    }

    /**
     * Says what is left in the connection's buffers.
     *
     * @param bytes memory that parts of frames take
     * @param lacking bytes that the first of them lacks; 0 if there is none
     * @return whether to read on. Otherwise {@link Reader#readOn} will be called
     */
    public boolean holds(long bytes, long lacking) {
        if (closed) {
            return false;
        }
        long change = bytes - held.getPlain();
        missing = lacking;
        if (change != 0) {
            held.lazySet(bytes);
            memory.changed(change);
        }
        // It is for one frame; while the protocol's share is used up, that does not go on.
        boolean unused = reservation > 0 && (lacking != reservation || share.isOver());
        if (unused) {
            memory.giveBackReservation(this, Long.MAX_VALUE);
        }
        if (mayRead()) {
            if (waits) {
                leave();
            }
        } else if (!waits) {
            await();
        }
        if (change < 0 || unused) {
            memory.wake();
        }
        return !waits;
    }

    /** As {@link #holds} with what was said last. */
    public boolean again() {
        return holds(held.getPlain(), missing);
    }

    private boolean mayRead() {
        return !share.isOver() && (missing == 0 || memory.ample() || reservation >= missing);
    }

    private void await() {
        if (share.isOver()) {
            share.await(this);
        } else {
            memory.await(this);
        }
    }

    private void leave() {
        share.leave(this);
        memory.leave(this);
    }

    /** The connection has closed. */
    public void close() {
        closed = true;
        leave();
        memory.changed(-held.getPlain());
        held.lazySet(0);
        memory.closed(this);
        memory.wake();
    }

    // ---- for the memory; any thread ----

    @Override
    void join(long last) {
        asked = missing;
        known = missing <= largestFrame;
        if (place == NO_PLACE || frameEnded) {
            place = last;
            frameEnded = false;
        }
        waits = true;
    }

    @Override
    void readOn() {
        reader.readOn();
    }

    @Override
    void tooSlow() {
        reader.tooSlow();
    }

    @Override
    void look() {
        long now = progress.get();
        boolean holding = held.get() > 0 && missing > 0;
        boolean slow = now - seenProgress < RequestMemory.LEAST_PROGRESS && !waits;
        quietLooks = holding && seenHolding && (slow || !completedOne) ? quietLooks + 1 : 0;
        seenProgress = now;
        seenHolding = holding;
    }

    @Override
    int quietLooks() {
        return held.get() > 0 ? quietLooks : 0;
    }
}
