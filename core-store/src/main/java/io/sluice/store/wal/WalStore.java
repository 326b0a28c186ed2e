package io.sluice.store.wal;

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

    @Override
    void close();
}
