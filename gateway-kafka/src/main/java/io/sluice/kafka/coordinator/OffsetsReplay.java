package io.sluice.kafka.coordinator;

import java.nio.ByteBuffer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.Deserializer;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays batches of the offsets topic into a coordinator, as Kafka's own loader does: records of a type it does not know are
 * passed over, anything else that does not decode or apply ends the load.
 */
final class OffsetsReplay {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetsReplay.class);

    /** Records after which the coordinator may drop what it keeps to undo them; Kafka's figure. */
    private static final long COMMIT_EVERY = 16_384;

    private final TopicPartition name;
    private final CoordinatorPlayback<CoordinatorRecord> coordinator;
    private final GroupCoordinatorRecordSerde serde = new GroupCoordinatorRecordSerde();
    private long committed;
    private long records;
    private long bytes;

    OffsetsReplay(TopicPartition name, CoordinatorPlayback<CoordinatorRecord> coordinator) {
        this.name = name;
        this.coordinator = coordinator;
    }

    long records() {
        return records;
    }

    long bytes() {
        return bytes;
    }

    /** @param entries whole batches */
    void replay(ByteBuffer entries) {
        for (MutableRecordBatch batch : MemoryRecords.readableRecords(entries).batches()) {
            batch.ensureValid();
            if (batch.isControlBatch()) {
                replayMarkers(batch);
            } else {
                replayRecords(batch);
            }
            if (batch.nextOffset() - committed >= COMMIT_EVERY) {
                commit(batch.nextOffset());
            }
        }
        bytes += entries.remaining();
    }

    /** Everything below {@code end} has been replayed; the next write will be at {@code end}. */
    void finish(long end) {
        if (end > committed) {
            commit(end);
        }
    }

    private void commit(long offset) {
        coordinator.updateLastWrittenOffset(offset);
        coordinator.updateLastCommittedOffset(offset);
        committed = offset;
    }

    private void replayMarkers(MutableRecordBatch batch) {
        for (Record record : batch) {
            records++;
            switch (ControlRecordType.parse(record.key())) {
                case COMMIT -> endTransaction(batch, TransactionResult.COMMIT);
                case ABORT -> endTransaction(batch, TransactionResult.ABORT);
                default -> LOG.debug("Passed over a control record at offset {} of {}", record.offset(), name);
            }
        }
    }

    private void endTransaction(MutableRecordBatch batch, TransactionResult result) {
        coordinator.replayEndTransactionMarker(batch.producerId(), batch.producerEpoch(), result);
    }

    private void replayRecords(MutableRecordBatch batch) {
        for (Record record : batch) {
            records++;
            try {
                coordinator.replay(
                        record.offset(),
                        batch.producerId(),
                        batch.producerEpoch(),
                        serde.deserialize(record.key(), record.value()));
            } catch (Deserializer.UnknownRecordTypeException e) {
                LOG.warn(
                        "Passed over a record of unknown type {} at offset {} of {}: a newer version may have written it",
                        e.unknownType(),
                        record.offset(),
                        name);
            } catch (RuntimeException e) {
                throw new KafkaException(
                        "the record at offset " + record.offset() + " of " + name + " cannot be replayed", e);
            }
        }
    }
}
