package io.sluice.transactions;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;

/** Writes the markers of an outcome that is durable to all its partitions, each again until it is there. */
final class OutcomeDelivery {
    private final ShardTerm term;
    private final Markers markers;
    private final Retries retries;
    private final TransactionalId.Prepared prepared;
    private final Runnable delivered;
    private final Marker marker;
    private final AtomicInteger left;

    /** @param delivered called once when all markers are there, unless the term ends before; on any thread */
    OutcomeDelivery(
            ShardTerm term, Markers markers, Retries retries, TransactionalId.Prepared prepared, Runnable delivered) {
        this.term = term;
        this.markers = markers;
        this.retries = retries;
        this.prepared = prepared;
        this.delivered = delivered;
        this.marker = new Marker(prepared.producer(), term.epoch(), prepared.commit());
        this.left = new AtomicInteger(prepared.partitions().size() + 1);
    }

    void start() {
        for (TopicPartition partition : prepared.partitions()) {
            mark(Participant.of(partition), 0);
        }
        marked();
    }

    private void mark(Participant partition, int failures) {
        if (term.isOver()) {
            return;
        }
        markers.write(partition, marker, fate -> {
            if (fate == Markers.Fate.UNKNOWN) {
                retries.add(failures + 1, () -> mark(partition, failures + 1));
            } else {
                marked();
            }
        });
    }

    private void marked() {
        if (left.decrementAndGet() == 0 && !term.isOver()) {
            delivered.run();
        }
    }
}
