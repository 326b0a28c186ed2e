package io.sluice.broker.memory;

/**
 * A connection's frame that arrives, as the {@link RequestMemory} sees it: its place in line, and the memory that is reserved for what
 * it lacks.
 */
abstract class ReservedRead {
    static final long NO_PLACE = -1;

    /** Waits to be told to read on. Set on the event loop, cleared by the thread that tells. */
    volatile boolean waits;

    /** Bytes that may still come; guarded by the memory's lock where it is changed. */
    volatile long reservation;

    /** It is of what is for small frames; guarded by the memory's lock. */
    boolean reservedSmall;

    /** Bytes it lacked when it began to wait; guarded by the memory's lock. */
    long asked;

    /** It has sent as much in one frame before as it lacks of this one; guarded by the memory's lock. */
    boolean known;

    /** In line, kept until the frame that it is for has come; guarded by the memory's lock. */
    long place = NO_PLACE;

    /**
     * It begins to wait, on its event loop and under the memory's lock.
     *
     * @param last place in line, for one that has none for this frame
     */
    abstract void join(long last);

    /** There is room, or it is to ask for it again. Any thread. */
    abstract void readOn();

    /** Its frame has stopped arriving and its memory is wanted: the connection is to close. Any thread. */
    abstract void tooSlow();

    /** Looks whether its frame goes on arriving. Under the memory's lock. */
    abstract void look();

    /** Number of looks in a row without progress. Any thread. */
    abstract int quietLooks();
}
