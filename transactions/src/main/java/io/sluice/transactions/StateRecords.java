package io.sluice.transactions;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.entry.EntryFormat;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.coordinator.transaction.TransactionLog;
import org.apache.kafka.coordinator.transaction.TransactionMetadata;
import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;
import org.apache.kafka.coordinator.transaction.generated.TransactionLogValue;
import org.apache.kafka.server.common.TransactionVersion;
import org.jspecify.annotations.Nullable;

/**
 * Records of the state topic: Kafka's batches, with the keys and values of Kafka's transaction log. The owner of a transaction is a tagged
 * field of the value that Kafka does not have, as UTF-8; an earlier reader passes over it.
 */
final class StateRecords {
    static final byte ENTRY_FORMAT = EntryFormat.KAFKA_V2;

    /** Kafka counts its own tags from 0. */
    private static final int OWNER_TAG = 10_000;

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

    static byte[] key(String transactionalId) {
        return TransactionLog.keyToBytes(transactionalId);
    }

    /** @param owner null if the transaction has none */
    static byte[] value(TxnTransitMetadata state, @Nullable String owner) {
        byte[] value = TransactionLog.valueToBytes(state, TransactionVersion.LATEST_PRODUCTION);
        if (owner == null) {
            return value;
        }
        TransactionLogValue fields = fields(ByteBuffer.wrap(value));
        fields.unknownTaggedFields().add(new RawTaggedField(OWNER_TAG, owner.getBytes(UTF_8)));
        return MessageUtil.toVersionPrefixedBytes(TransactionLogValue.HIGHEST_SUPPORTED_VERSION, fields);
    }

    private static TransactionLogValue fields(ByteBuffer value) {
        short version = value.getShort();
        return new TransactionLogValue(new ByteBufferAccessor(value), version);
    }

    private static @Nullable String owner(ByteBuffer value) {
        for (RawTaggedField field : fields(value).unknownTaggedFields()) {
            if (field.tag() == OWNER_TAG) {
                return new String(field.data(), UTF_8);
            }
        }
        return null;
    }

    interface IdReader {
        /**
         * State of an id.
         *
         * @param state null if the id was forgotten
         * @param owner null if it has none
         */
        void id(String id, @Nullable TransactionMetadata state, @Nullable String owner);
    }

    /**
     * Takes over what a record says.
     *
     * @param value null for a tombstone
     * @throws IllegalStateException a newer version has written it
     */
    static void load(ByteBuffer key, @Nullable ByteBuffer value, IdReader into) {
        ByteBuffer fields = value == null ? null : value.duplicate();
        switch (TransactionLog.read(key, value)) {
            case TransactionLog.TxnRecord known -> {
                String id = known.transactionId();
                into.id(id, known.metadata(), fields != null && SingleTransaction.isId(id) ? owner(fields) : null);
            }
            case TransactionLog.TxnTombstone gone -> into.id(gone.transactionId(), null, null);
            case TransactionLog.ReadResult unknown ->
                throw new IllegalStateException("it holds what a newer version has written: " + unknown);
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
