package io.sluice.transactions;

/** Why a call came to nothing. */
public enum TransactionError {
    /** The id's coordinator is not served here, or no longer: look it up again. */
    NOT_COORDINATOR(true),
    /** The id's coordinator is being loaded. */
    LOADING(true),
    /** The state could not be written now. */
    UNAVAILABLE(true),
    /** Another change of the id is under way, or its last transaction is being ended. */
    CONCURRENT(true),
    /** A newer producer has the id. */
    FENCED(false),
    /** The id does not belong to this producer, or is not known. */
    UNKNOWN_PRODUCER(false),
    /** The transaction belongs to another user, who alone hears that it is there: clients are told as of one that is not. */
    NOT_OWNER(false),
    /** There is no such id. */
    UNKNOWN_ID(false),
    /** The transaction is in no state for this. */
    INVALID_STATE(false),
    /** The partition is not part of the transaction: it can only be aborted. */
    NOT_A_PARTICIPANT(false),
    /** Shorter than 1 ms or longer than allowed. */
    INVALID_TIMEOUT(false),
    INVALID_REQUEST(false),
    /** As many ids, or partitions in open transactions, as this server keeps are in use. */
    TOO_MANY_IDS(false),
    /** The state cannot be written: it is too large. */
    FAILED(false);

    private final boolean retriable;

    TransactionError(boolean retriable) {
        this.retriable = retriable;
    }

    /** Whether the same call may succeed later. */
    public boolean isRetriable() {
        return retriable;
    }
}
