package io.sluice.transactions;

/** A call that came to nothing; an expected failure, so without a stack trace. */
public final class TransactionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final TransactionError error;

    public TransactionException(TransactionError error) {
        super(error.name(), null, false, false);
        this.error = error;
    }

    public TransactionError error() {
        return error;
    }
}
