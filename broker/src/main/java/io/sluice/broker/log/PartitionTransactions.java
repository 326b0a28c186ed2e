package io.sluice.broker.log;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Transactions as one partition sees them. A transaction opens here with its first entry and ends with an {@link
 * io.sluice.broker.entry.EndMarker}; it is decided elsewhere. Loop only.
 */
public interface PartitionTransactions {
    /** Whether this producer, in this epoch, has an open transaction here: then its entries are taken. */
    boolean isOpen(long producerId, short epoch);

    /**
     * Before the first entry of a transaction: the caller asks the coordinator whether the transaction goes on and knows of this
     * partition. A marker that comes meanwhile makes the answer worthless.
     */
    Verification verify(long producerId, short epoch);

    /**
     * The coordinator said yes: the producer's next entry in that epoch is taken.
     *
     * @return false if the transaction has ended meanwhile, so that the answer is about one that was
     */
    boolean verified(Verification asked);

    /** An aborted transaction, whose records readers of committed data skip. */
    record Aborted(long producerId, long firstOffset) {}

    /**
     * The aborted transactions that have entries from {@code from} on and before {@code to}, which is at most the readable end. Each
     * ends at its producer's marker.
     */
    List<Aborted> abortedIn(long from, long to);

    /** First offset of the producer's open transaction; -1 if it has none. */
    default long openFrom(long producerId) {
        return -1;
    }

    /** Transactions that are open. */
    default int openTransactions() {
        return 0;
    }

    /** Aborted transactions of which something is left. */
    default int abortedTransactions() {
        return 0;
    }

    /** Remembered producers, and all with open transactions. */
    List<Producer> producers();

    /**
     * @param lastSequence of its last batch; -1 if it is not known
     * @param lastSeen milliseconds since the epoch, by the log's clock, which moves by minutes; -1 if it is not known
     * @param coordinatorEpoch of its last marker; -1 if there was none
     * @param openFrom first offset of its open transaction, -1 if it has none
     */
    record Producer(
            long producerId, short epoch, int lastSequence, long lastSeen, int coordinatorEpoch, long openFrom) {}

    /** A question to the coordinator. */
    final class Verification {
        private final long producerId;
        private final short epoch;

        /** Whose entry waits for the answer; those that come meanwhile wait behind it, for they are in sequence. */
        private @Nullable Object asker;

        private int firstSequence = Integer.MAX_VALUE;

        public Verification(long producerId, short epoch) {
            this.producerId = producerId;
            this.epoch = epoch;
        }

        public long producerId() {
            return producerId;
        }

        public short epoch() {
            return epoch;
        }

        /** The producer's first entry here has this sequence, or one before it: that of an entry which asks, and may be refused. */
        public void beginsWith(int sequence) {
            firstSequence = Math.min(firstSequence, sequence);
        }

        public int firstSequence() {
            return firstSequence;
        }

        /** Null while no answer is waited for. */
        public @Nullable Object asker() {
            return asker;
        }

        public void askedBy(Object first) {
            asker = first;
        }

        public void answered() {
            asker = null;
        }
    }
}
