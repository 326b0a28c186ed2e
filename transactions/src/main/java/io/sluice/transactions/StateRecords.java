package io.sluice.transactions;

import io.sluice.broker.entry.EntryFormat;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/** Records of the state topic: Kafka's batches, with the keys and values of Kafka's transaction log. */
final class StateRecords {
    static final byte ENTRY_FORMAT = EntryFormat.KAFKA_V2;

    private StateRecords() {}

    interface Reader {
        /** @param value null for a tombstone */
        void record(ByteBuffer key, @Nullable ByteBuffer value);
    }

    /** @param entries whole entries; its position is left alone */
    static void forEach(ByteBuffer entries, Reader reader) {
        for (MutableRecordBatch batch :
                MemoryRecords.readableRecords(entries.duplicate()).batches()) {
            batch.ensureValid();
            for (Record record : batch) {
                reader.record(record.key(), record.value());
            }
        }
    }

    /**
     * One record.
     *
     * @param value null for a tombstone
     * @param timestamp milliseconds since the epoch
     */
    static ByteBuffer entry(ByteBuffer key, @Nullable ByteBuffer value, long timestamp) {
        return MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(timestamp, key, value))
                .buffer();
    }
}
