package io.sluice.kafka.format;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Checks the one batch that a producer may send per partition and request, as Kafka's log does, in place.
 *
 * <p>Difference from Kafka: the records inside are not walked (nor decompressed), so a producer that writes a checksummed
 * batch with fewer records than its header says is not found out. Nothing but that producer's own records suffers.
 */
public final class BatchValidator {
    private static final int COMPRESSION_MASK = 0x07;
    private static final int MAX_COMPRESSION = 4;
    private static final int ZSTD = 4;
    private static final int FIRST_VERSION_WITH_ZSTD = 7;
    private static final int LOG_APPEND_TIME = 0x08;
    private static final int TRANSACTIONAL = 0x10;
    private static final int CONTROL = 0x20;
    private static final long NO_TIMESTAMP = -1;

    private static final int ATTRIBUTES_AT = 21;
    private static final int MAX_TIMESTAMP_AT = 35;
    private static final int CRC_AT = 17;

    private BatchValidator() {}

    /** Why a batch is refused; the message is for the producer's user. */
    public record Refusal(Errors error, String message) {}

    /**
     * Checks {@code records}, and gives it the timestamp type of the topic (which changes attributes, timestamp, checksum).
     *
     * @param produceVersion version of the request it came in
     * @param now milliseconds since the epoch
     * @return null if all is well
     */
    public static @Nullable Refusal check(ByteBuf records, short produceVersion, BatchRules rules, long now) {
        int at = records.readerIndex();
        int bytes = records.readableBytes();
        Refusal shape = checkShape(records, at, bytes, rules);
        if (shape == null) {
            shape = checkHeader(records, at, produceVersion);
        }
        if (shape == null && crc(records, at) != EntryHeader.crc(records, at)) {
            shape = new Refusal(Errors.CORRUPT_MESSAGE, "the checksum of the batch does not match");
        }
        return shape == null ? applyTimestamps(records, at, rules, now) : shape;
    }

    private static @Nullable Refusal checkShape(ByteBuf b, int at, int bytes, BatchRules rules) {
        if (bytes < EntryHeader.SIZE) {
            return bytes == 0
                    ? invalid("a produce request must hold a record batch for each partition")
                    : new Refusal(Errors.CORRUPT_MESSAGE, "a batch of " + bytes + " bytes is too short to be one");
        }
        if (EntryHeader.format(b, at) != 2) {
            return invalid("record batches must have magic version 2, not " + EntryHeader.format(b, at));
        }
        long size = EntryHeader.LENGTH_OVERHEAD + (long) b.getInt(at + 8);
        if (size < EntryHeader.SIZE || size > bytes) {
            return new Refusal(Errors.CORRUPT_MESSAGE, "the batch says " + size + " bytes, there are " + bytes);
        }
        if (size < bytes) {
            return invalid("a produce request may hold one record batch for each partition");
        }
        if (size > rules.maxBytes()) {
            return new Refusal(
                    Errors.MESSAGE_TOO_LARGE, "the batch has " + size + " bytes, the limit is " + rules.maxBytes());
        }
        return null;
    }

    private static @Nullable Refusal checkHeader(ByteBuf b, int at, short produceVersion) {
        int attributes = EntryHeader.attributes(b, at);
        int compression = attributes & COMPRESSION_MASK;
        if (compression > MAX_COMPRESSION) {
            return new Refusal(Errors.UNSUPPORTED_COMPRESSION_TYPE, "unknown compression type " + compression);
        }
        if (compression == ZSTD && produceVersion < FIRST_VERSION_WITH_ZSTD) {
            return new Refusal(Errors.UNSUPPORTED_COMPRESSION_TYPE, "zstd needs produce version 7");
        }
        if (EntryHeader.baseOffset(b, at) != 0) {
            return invalid("the base offset must be 0, not " + EntryHeader.baseOffset(b, at));
        }
        int count = EntryHeader.count(b, at);
        int lastDelta = EntryHeader.lastOffsetDelta(b, at);
        if (count <= 0 || lastDelta != count - 1) {
            return invalid("a batch of " + count + " records cannot end at offset delta " + lastDelta);
        }
        if ((attributes & CONTROL) != 0) {
            return invalid("clients may not write control records");
        }
        if ((attributes & TRANSACTIONAL) != 0) {
            return new Refusal(Errors.INVALID_TXN_STATE, "transactions are not supported by this server");
        }
        boolean tracked = EntryHeader.producerId(b, at) != EntryHeader.NO_PRODUCER;
        if (tracked && (EntryHeader.baseSequence(b, at) < 0 || EntryHeader.producerEpoch(b, at) < 0)) {
            return invalid("a batch with a producer id needs an epoch and a sequence number");
        }
        return null;
    }

    private static @Nullable Refusal applyTimestamps(ByteBuf b, int at, BatchRules rules, long now) {
        int attributes = EntryHeader.attributes(b, at);
        long newest = EntryHeader.maxTimestamp(b, at);
        boolean saysAppendTime = (attributes & LOG_APPEND_TIME) != 0;
        if (rules.logAppendTime()) {
            b.setShort(at + ATTRIBUTES_AT, attributes | LOG_APPEND_TIME);
            b.setLong(at + MAX_TIMESTAMP_AT, now);
            b.setInt(at + CRC_AT, crc(b, at));
            return null;
        }
        boolean early = newest - now > rules.maxAheadMillis();
        boolean late = now - newest > rules.maxBehindMillis();
        if (newest != NO_TIMESTAMP && (early || late)) {
            return new Refusal(Errors.INVALID_TIMESTAMP, "timestamp " + newest + " is too far from now, " + now);
        }
        if (saysAppendTime) {
            b.setShort(at + ATTRIBUTES_AT, attributes & ~LOG_APPEND_TIME);
            b.setInt(at + CRC_AT, crc(b, at));
        }
        return null;
    }

    private static int crc(ByteBuf b, int at) {
        CRC32C crc = new CRC32C();
        int from = at + EntryHeader.CRC_FROM;
        int length = EntryHeader.size(b, at) - EntryHeader.CRC_FROM;
        if (b.nioBufferCount() == 1) {
            crc.update(b.nioBuffer(from, length));
        } else {
            for (ByteBuffer part : b.nioBuffers(from, length)) {
                crc.update(part);
            }
        }
        return (int) crc.getValue();
    }

    private static Refusal invalid(String message) {
        return new Refusal(Errors.INVALID_RECORD, message);
    }
}
