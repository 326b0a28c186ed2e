package io.sluice.store.wal;

import io.netty.buffer.ByteBuf;

/**
 * Appends frames to one ledger, many in flight.
 *
 * <p><b>Order.</b> Frames are stored, and callbacks called, in the order of the appends. <b>Failure.</b> The first failed
 * frame fails all later ones; the writer takes no more. <b>Bounds.</b> The caller bounds bytes in flight.
 *
 * <p>Where the log {@link Durability.Sync#DEFER defers} the disk's sync, a frame is acknowledged before it is safe, and the
 * caller forces soon after:
 *
 * <pre>
 *   frames:  0 ... 41 | 42 ... 57 | 58 ... 63
 *              forced   acknowledged  in flight
 *                       └─ a crash of the bookies' machines may take these, from the end: never 42 and not 43
 * </pre>
 */
public interface LedgerWriter {
    /** This ledger's number in the chain. */
    long ledger();

    /**
     * Never blocks. {@code frame} is borrowed until the callback: its bytes must not change, and the writer does not release
     * it. The callback comes once, on any thread, possibly before this returns.
     */
    void append(ByteBuf frame, Callback callback);

    /**
     * Puts every frame that was acknowledged before this call on the disks. Never blocks; the callback comes once, on any
     * thread, possibly before this returns. A failure says that what was not forced yet may get lost; the caller gives the ledger up.
     * Where the log waits for the sync there is nothing to do.
     */
    void force(Callback callback);

    /**
     * Ends the ledger after its last append has completed and is forced; blocks. Idempotent; never throws for a ledger
     * already closed.
     */
    void close() throws WalException;

    /** Whether a new ledger would be better placed: one of this one's machines is gone, or there are more of them now. Cheap; any thread. */
    default boolean isToBeReplaced() {
        return false;
    }

    /** Told what became of a frame, or of a force. */
    interface Callback {
        /** Where the log's {@link Durability} wants it to be; after a force on the disks. */
        void durable();

        void failed(WalException why);
    }
}
