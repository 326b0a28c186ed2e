package io.sluice.pulsar.connection;

import io.sluice.pulsar.dispatch.AckedEntry;
import io.sluice.transactions.Participant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Acknowledgements that came when their consumer's partition had just gone elsewhere. A client that asks for no answer takes them for
 * done, and drops the messages when they come again; so they are kept until the same consumer has subscribed anew.
 *
 * <pre>
 *   partition gone ─► CLOSE_CONSUMER ─► ACK that was under way: kept ─► SUBSCRIBE of the same consumer: carried out
 * </pre>
 *
 * Event loop only.
 */
public final class LateAcks {
    private static final int MOST_CONSUMERS = 1_000;
    /** Entries kept for all consumers of the connection, about 50 bytes each; those beyond are dropped, and their messages come again. */
    private static final int MOST_ENTRIES = 2_000;

    private final Map<Long, Left> byConsumer = new LinkedHashMap<>();
    private int entries;

    /** One command. */
    public record Late(List<AckedEntry> entries, boolean cumulative) {}

    /** @param of partition and subscription that the consumer had */
    private record Left(Participant of, List<Late> acks) {}

    /** The consumer is told to subscribe anew, since its partition is not here any more. */
    void left(long consumerId, Participant of) {
        Left before = byConsumer.get(consumerId);
        if (before == null || !before.of.equals(of)) {
            forget(consumerId);
            if (byConsumer.size() >= MOST_CONSUMERS) {
                forget(byConsumer.keySet().iterator().next());
            }
            byConsumer.put(consumerId, new Left(of, new ArrayList<>(0)));
        }
    }

    /** Nothing is kept for a consumer whose partition has not {@link #left}. */
    public void keep(long consumerId, Late late) {
        Left left = byConsumer.get(consumerId);
        if (left != null && entries + late.entries.size() <= MOST_ENTRIES) {
            left.acks.add(late);
            entries += late.entries.size();
        }
    }

    /** Removes and returns the acknowledgements kept for the consumer, if it has the same subscription again. */
    public List<Late> takeFor(long consumerId, Participant of) {
        Left left = byConsumer.get(consumerId);
        forget(consumerId);
        return left != null && left.of.equals(of) ? left.acks : List.of();
    }

    /** The consumer is gone, or was told to come again for another reason. */
    public void forget(long consumerId) {
        Left left = byConsumer.remove(consumerId);
        if (left != null) {
            left.acks.forEach(late -> entries -= late.entries.size());
        }
    }
}
