package io.sluice.store.wal;

/**
 * What a log waits for before it acknowledges a frame. A log has one of these for as long as it is open; logs do not mix.
 *
 * @param copies how many bookies must have the frame
 * @param sync whether those must have it on their disks
 */
public record Durability(Copies copies, Sync sync) {
    /** Nothing that was acknowledged is lost as long as an ack quorum's worth of disks is there. */
    public static final Durability DEFAULT = new Durability(Copies.ACK_QUORUM, Sync.WAIT);

    /** Copies waited for. All of the write quorum are written in any case. */
    public enum Copies {
        ACK_QUORUM,
        ONE
    }

    /** The disk's sync. */
    public enum Sync {
        WAIT,
        /** Acknowledged when the bookies' systems have it: the end of a process loses nothing, that of a machine what was not forced. */
        DEFER
    }

    /** Whether what was acknowledged is safe only once it was {@link LedgerWriter#force forced}. */
    public boolean defersSync() {
        return sync == Sync.DEFER;
    }
}
