package io.sluice.kafka.coordinator;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * What a compacted log is: the last record of each key, in the order in which they were written; keys whose last record is
 * a tombstone are gone. Holds copies, about as much memory as the groups themselves.
 */
final class LiveRecords {
    /** Records are packed into batches of about this many bytes. */
    private static final int BATCH_BYTES = 512 << 10;

    /** A record's own bytes besides key and value, at most. */
    private static final int RECORD_OVERHEAD = 32;

    private final Map<ByteBuffer, SimpleRecord> last = new LinkedHashMap<>();

    /** @throws KafkaException if the batch is part of a transaction: its outcome would be lost */
    void add(MemoryRecords chunk) {
        for (MutableRecordBatch batch : chunk.batches()) {
            batch.ensureValid();
            if (batch.isControlBatch() || batch.isTransactional()) {
                throw new KafkaException("it holds transactional commits, at offset " + batch.baseOffset());
            }
            for (Record record : batch) {
                add(record);
            }
        }
    }

    private void add(Record record) {
        ByteBuffer key = copyOf(record.key());
        last.remove(key);
        if (record.hasValue()) {
            last.put(key, new SimpleRecord(record.timestamp(), key.duplicate(), copyOf(record.value())));
        }
    }

    int size() {
        return last.size();
    }

    /** All of them, as batches ready to be appended. */
    List<MemoryRecords> toBatches() {
        List<MemoryRecords> batches = new ArrayList<>();
        List<SimpleRecord> open = new ArrayList<>();
        int bytes = 0;
        for (SimpleRecord record : last.values()) {
            int size = record.key().remaining() + record.value().remaining() + RECORD_OVERHEAD;
            if (bytes > 0 && bytes + size > BATCH_BYTES) {
                batches.add(batch(open));
                open.clear();
                bytes = 0;
            }
            open.add(record);
            bytes += size;
        }
        if (bytes > 0) {
            batches.add(batch(open));
        }
        return batches;
    }

    private static MemoryRecords batch(List<SimpleRecord> records) {
        return MemoryRecords.withRecords(Compression.NONE, records.toArray(SimpleRecord[]::new));
    }

    private static ByteBuffer copyOf(ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining());
        copy.put(bytes.duplicate()).flip();
        return copy;
    }
}
