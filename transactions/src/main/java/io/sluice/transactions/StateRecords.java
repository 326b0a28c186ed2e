package io.sluice.transactions;

import io.sluice.broker.coordination.LogRecord;
import io.sluice.broker.coordination.RecordFormat;
import io.sluice.broker.entry.EntryFormat;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Records of the state topic: Kafka's batches, with the keys and values of Kafka's transaction log. */
enum StateRecords implements RecordFormat {
    FORMAT;

    @Override
    public byte entryFormat() {
        return EntryFormat.KAFKA_V2;
    }

    @Override
    public void decode(ByteBuffer entries, Reader reader) {
        for (MutableRecordBatch batch :
                MemoryRecords.readableRecords(entries.duplicate()).batches()) {
            batch.ensureValid();
            for (Record record : batch) {
                reader.record(
                        new LogRecord(record.key(), record.value(), record.timestamp()),
                        record.offset(),
                        NO_TRANSACTION);
            }
        }
    }

    @Override
    public ByteBuffer encode(List<LogRecord> records) {
        SimpleRecord[] simple = records.stream()
                .map(record -> new SimpleRecord(record.timestamp(), record.key(), record.value()))
                .toArray(SimpleRecord[]::new);
        return MemoryRecords.withRecords(Compression.NONE, simple).buffer();
    }
}
