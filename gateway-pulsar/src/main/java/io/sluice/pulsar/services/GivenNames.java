package io.sluice.pulsar.services;

import io.sluice.transactions.Participant;
import io.sluice.transactions.SingleTransaction;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names that clients gave to partitions when they added them to transactions, where these are not the full names: statistics of a
 * transaction name its partitions as its client does. In memory only: after a restart, and for what is beyond the bound, the full names are
 * told.
 *
 * <p>Any thread.
 */
public final class GivenNames {
    /** About 300 bytes each, 1 kB at most; the oldest goes first. */
    private static final int MOST = 10_000;

    private final Map<Given, String> names = new LinkedHashMap<>();

    private record Given(SingleTransaction transaction, Participant participant) {}

    /** Keeps the first name of a partition in a transaction. */
    public synchronized void keep(SingleTransaction transaction, Participant participant, String name) {
        names.putIfAbsent(new Given(transaction, participant), name);
        if (names.size() > MOST) {
            names.remove(names.keySet().iterator().next());
        }
    }

    /** Null if it is the full name. */
    public synchronized @Nullable String of(SingleTransaction transaction, Participant participant) {
        return names.get(new Given(transaction, participant));
    }
}
