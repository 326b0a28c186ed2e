package io.sluice.store.wal;

/**
 * Conditions under which a log acknowledges a frame. A log has one of these for as long as it is open; logs do not mix.
 *
 * @param copies how many bookies must have the frame
 * @param sync whether those must have it on their disks
 */
public record Durability(Copies copies, Sync sync) {
    /** Nothing that was acknowledged is lost as long as an ack quorum's worth of disks is there. */
    public static final Durability DEFAULT = new Durability(Copies.ACK_QUORUM, Sync.WAIT);

    /** The highest level, which guarantees least. */
    public static final int LEAST_DURABLE = 4;

    /**
     * As people number them: 1 is the default, 2 defers the sync, 3 waits for one copy, 4 does both.
     *
     * @throws IllegalArgumentException there is no such level
     */
    public static Durability ofLevel(int level) {
        if (level < 1 || level > LEAST_DURABLE) {
            throw new IllegalArgumentException("levels of durability are 1 to " + LEAST_DURABLE + ", not " + level);
        }
        return new Durability(level < 3 ? Copies.ACK_QUORUM : Copies.ONE, level % 2 == 1 ? Sync.WAIT : Sync.DEFER);
    }

    /** See {@link #ofLevel}. */
    public int level() {
        return (copies == Copies.ONE ? 3 : 1) + (defersSync() ? 1 : 0);
    }

    /** This durability for a log with the given ack quorum: with one copy there is no choice of copies. */
    public Durability withAckQuorum(int copiesOfQuorum) {
        return copiesOfQuorum == 1 ? new Durability(Copies.ACK_QUORUM, sync) : this;
    }

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

    /** Whether what was acknowledged may be lost although an ack quorum's worth of disks is there. */
    public boolean mayLoseAcknowledged() {
        return !equals(DEFAULT);
    }

    /** Whether what was acknowledged is safe only once it was {@link LedgerWriter#force forced}. */
    public boolean defersSync() {
        return sync == Sync.DEFER;
    }
}
