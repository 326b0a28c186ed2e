package io.sluice.kafka.coordinator;

import io.sluice.broker.coordination.AppendCompletion;
import io.sluice.broker.coordination.CoordinatorLog;
import io.sluice.broker.coordination.CoordinatorLogException;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;

/** One partition of the offsets topic: a coordinator log, and who is told how far it is durable. */
final class OffsetsPartition {
    private final TopicPartition name;
    private final CoordinatorLog log;
    private final List<PartitionWriter.Listener> listeners = new CopyOnWriteArrayList<>();

    /** Loads of this partition come one after the other; nothing else takes it. */
    private final ReentrantLock loading = new ReentrantLock();

    OffsetsPartition(TopicPartition name, Topic.Placement placement, Partitions partitions) {
        this.name = name;
        this.log = new CoordinatorLog(name.toString(), placement, partitions, EntryFormat.KAFKA_V2);
    }

    TopicPartition name() {
        return name;
    }

    int container() {
        return log.container();
    }

    boolean isServed() {
        return log.isServed();
    }

    CoordinatorLog log() {
        return log;
    }

    ReentrantLock loading() {
        return loading;
    }

    void register(PartitionWriter.Listener listener) {
        listeners.add(listener);
    }

    void deregister(PartitionWriter.Listener listener) {
        listeners.remove(listener);
    }

    /**
     * Appends one batch of the coordinator.
     *
     * @return the offset after its last record, as the coordinator counts
     * @throws KafkaException see {@link CoordinatorErrors}
     */
    long append(MemoryRecords records, Duration atMost, Runnable onLost) {
        MutableRecordBatch batch = onlyBatch(records);
        ByteBuffer entry = UnsequencedBatch.of(batch, records.buffer());
        int count = (int) (batch.lastOffset() - batch.baseOffset() + 1);
        try {
            return log.append(entry, count, atMost, new AppendCompletion() {
                @Override
                public void durable(long end) {
                    announce(end);
                }

                @Override
                public void lost(StoreFailure why) {
                    onLost.run();
                }
            });
        } catch (CoordinatorLogException e) {
            throw batch.isControlBatch() ? CoordinatorErrors.of(e) : CoordinatorErrors.ofWrite(e);
        }
    }

    /** The log takes one batch at a time. */
    private static MutableRecordBatch onlyBatch(MemoryRecords records) {
        Iterator<MutableRecordBatch> batches = records.batches().iterator();
        MutableRecordBatch batch = batches.next();
        if (batches.hasNext()) {
            throw new KafkaException("an append of more than one batch");
        }
        return batch;
    }

    private void announce(long committed) {
        for (PartitionWriter.Listener listener : listeners) {
            try {
                listener.onHighWatermarkUpdated(name, committed);
            } catch (NotCoordinatorException shuttingDown) {
                // Its waiters have been answered by the coordinator's own shutdown.
            }
        }
    }
}
