package io.sluice.broker.subscription;

import java.util.List;

/**
 * Acknowledgement of a consumer in a transaction, all of it or nothing.
 *
 * @param transaction its producer id
 * @param ranges of offsets
 * @param upTo everything up to this offset, itself included; -1 if ranges alone are meant
 */
public record TransactionalAck(long transaction, List<Range> ranges, long upTo) {
    /**
     * Both ends inclusive.
     *
     * @param whole whether it is a whole entry, of which messages may be acknowledged already
     */
    public record Range(long from, long to, boolean whole) {}

    public static TransactionalAck of(long transaction, List<Range> ranges) {
        return new TransactionalAck(transaction, ranges, -1);
    }

    public static TransactionalAck upTo(long transaction, long offset) {
        return new TransactionalAck(transaction, List.of(), offset);
    }
}
