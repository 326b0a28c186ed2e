package io.sluice.transactions;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;

/** Carries out an outcome that is durable: markers to all partitions, again until they are there, and then that it is complete. */
final class CarryOut {
    private final TransactionShard shard;
    private final Execution execution;
    private final TransactionalId id;
    private final TransactionalId.Prepared prepared;
    private final Marker marker;
    private final AtomicInteger left;

    CarryOut(TransactionShard shard, Execution execution, TransactionalId id, TransactionalId.Prepared prepared) {
        this.shard = shard;
        this.execution = execution;
        this.id = id;
        this.prepared = prepared;
        this.marker = new Marker(prepared.producer(), execution.coordinatorEpoch(), prepared.commit());
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
        execution.markers().write(partition, marker, fate -> {
            if (fate == Markers.Fate.UNKNOWN) {
                execution.again(() -> mark(partition));
            } else {
                marked();
            }
        });
    }

    private void marked() {
        if (left.decrementAndGet() == 0 && !shard.isClosed()) {
            execution.complete(id, prepared.complete());
        }
    }
}
