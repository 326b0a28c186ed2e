package io.sluice.kafka.format;

import io.sluice.broker.compaction.AbortedData;
import io.sluice.broker.compaction.KeyedEntries;
import io.sluice.broker.compaction.Survivors;
import io.sluice.broker.entry.EntryFormat;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;

/**
 * Kafka's batches as compaction sees them; what stays and for how long is as with Kafka's cleaner. Records without a key, which a topic may
 * have from before it was compacted, go.
 *
 * <p>Not as there: no batch stays without a record to remember its producer's sequence, for the partition knows that by itself.
 */
public enum KeyedBatches implements KeyedEntries {
    FORMAT;

    /** Batches were checked against their topic's limit when they came. */
    private static final int ANY_SIZE = Integer.MAX_VALUE;

    @Override
    public byte format() {
        return EntryFormat.KAFKA_V2;
    }

    @Override
    public boolean readKeys(ByteBuffer entries, AbortedData aborted, Keys keys) {
        try (BufferSupplier buffers = BufferSupplier.create()) {
            for (MutableRecordBatch batch :
                    MemoryRecords.readableRecords(entries).batches()) {
                if (batch.isControlBatch()) {
                    if (endsTransaction(batch)) {
                        aborted.ended(batch.producerId(), batch.baseOffset());
                    }
                } else if (!isAborted(batch, aborted) && !readKeys(batch, buffers, keys)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean readKeys(RecordBatch batch, BufferSupplier buffers, Keys keys) {
        try (CloseableIterator<Record> records = batch.streamingIterator(buffers)) {
            while (records.hasNext()) {
                Record record = records.next();
                if (record.hasKey() && !keys.add(record.key(), record.offset())) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isAborted(RecordBatch batch, AbortedData aborted) {
        return batch.isTransactional() && aborted.has(batch.producerId(), batch.baseOffset());
    }

    private static boolean endsTransaction(RecordBatch batch) {
        for (Record record : batch) {
            ControlRecordType type = ControlRecordType.parse(record.key());
            return type == ControlRecordType.ABORT || type == ControlRecordType.COMMIT;
        }
        return false;
    }

    @Override
    public ByteBuffer rewrite(ByteBuffer entries, AbortedData aborted, Survivors survivors) {
        ByteBuffer left = ByteBuffer.allocate(entries.remaining());
        try (BufferSupplier buffers = BufferSupplier.create()) {
            return MemoryRecords.readableRecords(entries)
                    .filterTo(new Filter(aborted, survivors), left, buffers, ANY_SIZE)
                    .outputBuffer()
                    .flip();
        }
    }

    private static final class Filter extends RecordFilter {
        private final AbortedData aborted;
        private final Survivors survivors;
        /** Whether the current batch goes. */
        private boolean goes;

        Filter(AbortedData aborted, Survivors survivors) {
            super(survivors.now(), survivors.deleteRetentionMillis());
            this.aborted = aborted;
            this.survivors = survivors;
        }

        @Override
        protected BatchRetentionResult checkBatchRetention(RecordBatch batch) {
            boolean markerOfNothing = false;
            if (batch.isControlBatch()) {
                markerOfNothing = endsTransaction(batch) && !survivors.hasLeft(batch.producerId());
                aborted.ended(batch.producerId(), batch.baseOffset());
                goes = markerOfNothing && isOver(batch.deleteHorizonMs());
            } else {
                goes = isAborted(batch, aborted);
            }
            return new BatchRetentionResult(retention(batch), markerOfNothing);
        }

        private BatchRetention retention(RecordBatch batch) {
            if (survivors.isLast(batch.lastOffset())) {
                return BatchRetention.RETAIN_EMPTY;
            }
            return goes ? BatchRetention.DELETE : BatchRetention.DELETE_EMPTY;
        }

        private boolean isOver(OptionalLong horizon) {
            return horizon.isPresent() && horizon.getAsLong() <= currentTime;
        }

        @Override
        protected boolean shouldRetainRecord(RecordBatch batch, Record record) {
            boolean stays = !goes && (batch.isControlBatch() || isNewest(batch, record));
            if (stays && batch.isTransactional() && !batch.isControlBatch()) {
                survivors.stays(batch.producerId());
            }
            return stays;
        }

        private boolean isNewest(RecordBatch batch, Record record) {
            return record.hasKey()
                    && survivors.isNewest(record.key(), record.offset())
                    && (record.hasValue() || !isOver(batch.deleteHorizonMs()));
        }
    }
}
