package io.sluice.store.wal;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** Where containers' logs are kept. Blocking; called on virtual threads. */
public interface WalStore extends AutoCloseable {
    /**
     * Takes the container's log over for a new term: raises the term in metadata (compare-and-set), then fences every
     * ledger of earlier terms, so that no earlier owner can have another append acknowledged.
     *
     * @param durability of the ledgers that are started; those that are recovered have had their own
     * @throws WalException.Fenced another owner raised the term at the same time and won
     */
    Wal open(int container, Durability durability) throws WalException;

    /** The same, waiting for the ack quorum's disks. */
    default Wal open(int container) throws WalException {
        return open(container, Durability.DEFAULT);
    }

    /**
     * Deletes the container's log for good: no owner opens it any more. May be repeated; one that is not there is deleted.
     *
     * @throws WalException.Unavailable something of it may be left: repeat it
     */
    void delete(int container) throws WalException;

    /**
     * False while the log is short of space: appends are to wait, and what frees space still goes through. Any thread; cheap.
     */
    default boolean takesAppends() {
        return true;
    }

    /**
     * Tries which of these containers' logs this process could take over and write to now, without changing any. Blocks.
     *
     * @param containers with the durability of their logs
     * @param atMost what has not answered by then is not reached
     * @return those that can; one whose log is damaged is among them: opening it tells
     * @throws WalException.Unavailable nothing can be said, because the metadata do not answer
     */
    default Set<Integer> reachable(Map<Integer, Durability> containers, Duration atMost) throws WalException {
        return containers.keySet();
    }

    @Override
    void close();
}
