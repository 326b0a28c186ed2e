package io.sluice.kafka.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.broker.log.PartitionLog.OffsetAndTime;
import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;

/** Finds a record inside Kafka batches, which may need decompressing: not for a loop. */
public final class RecordLookup {
    private RecordLookup() {}

    /** The first record at or after {@code offset} whose timestamp is {@code timestamp} or later; null if there is none. */
    public static @Nullable OffsetAndTime firstAtOrAfter(ByteBuf batches, long offset, long timestamp) {
        for (RecordBatch batch : records(batches).batches()) {
            for (Record record : batch) {
                if (record.offset() >= offset && record.timestamp() >= timestamp) {
                    return new OffsetAndTime(record.offset(), record.timestamp());
                }
            }
        }
        return null;
    }

    /** The first of the records of the first batch with that batch's largest timestamp; null if there is no batch. */
    public static @Nullable OffsetAndTime newestOfFirstBatch(ByteBuf batches) {
        for (RecordBatch batch : records(batches).batches()) {
            OffsetAndTime newest = null;
            for (Record record : batch) {
                if (newest == null || record.timestamp() > newest.timestamp()) {
                    newest = new OffsetAndTime(record.offset(), record.timestamp());
                }
            }
            return newest;
        }
        return null;
    }

    private static MemoryRecords records(ByteBuf batches) {
        return MemoryRecords.readableRecords(ByteBuffer.wrap(ByteBufUtil.getBytes(batches)));
    }
}
