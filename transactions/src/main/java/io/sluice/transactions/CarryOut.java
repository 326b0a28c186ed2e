package io.sluice.transactions;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;

/** Carries out an outcome that is durable: markers to all partitions, again until they are there, and then that it is complete. */
final class CarryOut {
    private final TransactionShard shard;
    private final TransactionalId id;
    private final TransactionalId.Prepared prepared;
    private final Marker marker;
    private final AtomicInteger left;

    CarryOut(TransactionShard shard, TransactionalId id, TransactionalId.Prepared prepared) {
        this.shard = shard;
        this.id = id;
        this.prepared = prepared;
        this.marker = new Marker(prepared.producer(), shard.coordinatorEpoch(), prepared.commit());
        this.left = new AtomicInteger(prepared.partitions().size() + 1);
    }

    void start() {
        for (TopicPartition partition : prepared.partitions()) {
            mark(Participant.of(partition));
        }
        marked();
    }

    private void mark(Participant partition) {
        if (shard.isClosed()) {
            return;
        }
        shard.markers().write(partition, marker, fate -> {
            if (fate == Markers.Fate.UNKNOWN) {
                shard.again(() -> mark(partition));
            } else {
                marked();
            }
        });
    }

    private void marked() {
        if (left.decrementAndGet() == 0) {
            complete();
        }
    }

    /**
     * Does not wait until Complete is durable. The next step of the id lies behind it in the log, and where Complete and all behind it
     * are missing, or it was refused, a load writes the markers once more. So it is not written again either: it could then lie
     * behind the next transaction's begin.
     */
    private void complete() {
        if (shard.isClosed()) {
            return;
        }
        shard.append(id, prepared.complete(), () -> {}, why -> {}, () -> {});
        shard.completed(id, prepared.complete());
    }
}
