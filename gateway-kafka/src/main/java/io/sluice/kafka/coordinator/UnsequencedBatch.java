package io.sluice.kafka.coordinator;

import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Kafka's coordinator gives each of a transaction's batches the sequence 0, for its own log does not look at it. Ours does:
 * several in one epoch would be taken for repeats.
 */
final class UnsequencedBatch {
    private static final int BASE_SEQUENCE_AT = 53;

    private UnsequencedBatch() {}

    /** The batch's bytes, if it is part of a transaction without its sequence: taken away in place. */
    static ByteBuffer of(MutableRecordBatch batch, ByteBuffer bytes) {
        if (batch.isTransactional() && !batch.isControlBatch()) {
            int at = bytes.position();
            bytes.putInt(at + BASE_SEQUENCE_AT, RecordBatch.NO_SEQUENCE);
            CRC32C crc = new CRC32C();
            crc.update(bytes.duplicate().position(at + EntryHeader.CRC_FROM));
            bytes.putInt(at + EntryHeader.CRC_FROM - Integer.BYTES, (int) crc.getValue());
        }
        return bytes;
    }
}
