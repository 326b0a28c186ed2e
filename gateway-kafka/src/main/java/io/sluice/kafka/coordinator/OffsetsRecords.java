package io.sluice.kafka.coordinator;

import io.sluice.broker.coordination.LogRecord;
import io.sluice.broker.coordination.RecordFormat;
import io.sluice.broker.entry.EntryFormat;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Records of the offsets topic: Kafka's batches, some of them of transactions, and the markers that end those. */
enum OffsetsRecords implements RecordFormat {
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
            long transaction = batch.isTransactional() ? batch.producerId() : NO_TRANSACTION;
            for (Record record : batch) {
                if (batch.isControlBatch()) {
                    end(record, transaction, reader);
                } else {
                    LogRecord told = new LogRecord(record.key(), record.value(), record.timestamp());
                    reader.record(told, record.offset(), transaction);
                }
            }
        }
    }

    private static void end(Record marker, long transaction, Reader reader) {
        switch (ControlRecordType.parse(marker.key())) {
            case COMMIT -> reader.ended(transaction, true);
            case ABORT -> reader.ended(transaction, false);
            default -> {}
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
