package io.sluice.pulsar.connection;

import io.sluice.transactions.SingleTransaction;
import java.util.LinkedHashSet;

/**
 * Transactions of which their coordinators have said that a producer or a consumer may use them: the last hundred, for the owner of a
 * transaction does not change. Container's loop only.
 */
public final class VerifiedTransactions {
    private static final int MOST = 100;

    private final LinkedHashSet<SingleTransaction> verified = new LinkedHashSet<>(0);

    public boolean contains(SingleTransaction transaction) {
        return verified.contains(transaction);
    }

    /** Its coordinator has said yes. */
    public void add(SingleTransaction transaction) {
        verified.add(transaction);
        if (verified.size() > MOST) {
            verified.removeFirst();
        }
    }
}
