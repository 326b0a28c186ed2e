package io.sluice.broker.subscription;

import io.sluice.broker.entry.ProducerIds;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Epochs of the coordinators that ended transactions of producers that keep their id over many. An end that an earlier coordinator sent, and that
 * comes late, is none of the transaction that is open now. Lives as long as the partition's term: what was sent to an earlier term, or to another
 * container, does not come here (ADR 0075).
 */
final class LatestCoordinators {
    /** Producers; of those beyond the one heard of longest ago is forgotten. */
    static final int MOST_PRODUCERS = 1_000;

    /** The producer heard of last is at the end. */
    private final Map<Long, Integer> epochs = new LinkedHashMap<>(4, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Integer> eldest) {
            return size() > MOST_PRODUCERS;
        }
    };

    /** False if a later coordinator has ended a transaction of this producer. */
    boolean isLatest(long producer, int coordinatorEpoch) {
        return ProducerIds.isSingle(producer)
                || epochs.merge(producer, coordinatorEpoch, Math::max) == coordinatorEpoch;
    }
}
