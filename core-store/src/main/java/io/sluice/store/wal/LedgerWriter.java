package io.sluice.store.wal;

import io.netty.buffer.ByteBuf;

/**
 * Appends frames to one ledger, many in flight.
 *
 * <p><b>Order.</b> Frames are stored, and callbacks called, in the order of the appends. <b>Failure.</b> The first failed
 * frame fails all later ones; the writer takes no more. <b>Bounds.</b> The caller bounds bytes in flight.
 */
public interface LedgerWriter {
    /** This ledger's number in the chain. */
    long ledger();

    /**
     * Never blocks. {@code frame} is borrowed until the callback: its bytes must not change, and the writer does not release
     * it. The callback comes once, on any thread, possibly before this returns.
     */
    void append(ByteBuf frame, Callback callback);

    /** Ends the ledger after its last append has completed; blocks. Idempotent; never throws for a ledger already closed. */
    void close() throws WalException;

    /** Told what became of a frame. */
    interface Callback {
        /** Fsynced by the acknowledging quorum. */
        void durable();

        void failed(WalException why);
    }
}
