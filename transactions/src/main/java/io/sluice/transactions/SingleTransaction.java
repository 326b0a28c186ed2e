package io.sluice.transactions;

import io.sluice.broker.entry.ProducerIds;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that has a transactional id and a producer id of its own, as Pulsar's clients use them.
 *
 * @param coordinator number of the state partition that answers for it
 * @param number unique among all coordinators, for ever
 */
public record SingleTransaction(long coordinator, long number) {
    /** No client of Kafka's may use such an id. */
    private static final String PREFIX = "(single)";

    private static final int COORDINATOR_BITS = 10;
    private static final long COORDINATORS = 1L << COORDINATOR_BITS;
    private static final long NUMBERS = ProducerIds.SINGLES >> COORDINATOR_BITS;

    /** Whether there may be such a one. */
    public boolean isValid() {
        return coordinator >= 0 && coordinator < COORDINATORS && number >= 0 && number < NUMBERS;
    }

    /** Producer id by which partitions know the transaction. */
    public long producerId() {
        return ProducerIds.single(number << COORDINATOR_BITS | coordinator);
    }

    ProducerIdentity producer() {
        return new ProducerIdentity(producerId(), ProducerIds.SINGLE_EPOCH);
    }

    /** The reverse of {@link #producerId}. */
    public static SingleTransaction of(long producerId) {
        long all = ProducerIds.numberOf(producerId);
        return new SingleTransaction(all & COORDINATORS - 1, all >> COORDINATOR_BITS);
    }

    /** Its transactional id. */
    String id() {
        return PREFIX + coordinator + ":" + number;
    }

    static boolean isId(String transactionalId) {
        return transactionalId.startsWith(PREFIX);
    }

    /** The reverse of {@link #id}; null for what it does not give. */
    public static @Nullable SingleTransaction ofId(String transactionalId) {
        if (!isId(transactionalId)) {
            return null;
        }
        try {
            int colon = transactionalId.indexOf(':');
            String coordinator = colon < 0 ? "" : transactionalId.substring(PREFIX.length(), colon);
            long number = Long.parseLong(transactionalId.substring(colon + 1));
            SingleTransaction read = new SingleTransaction(Long.parseLong(coordinator), number);
            return read.isValid() && read.id().equals(transactionalId) ? read : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
