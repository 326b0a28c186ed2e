package io.sluice.kafka.format;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Checks the one batch that a producer may send per partition and request, header and records, as Kafka's log does, in
 * place. A batch that passes can be read by every consumer; docs/adr/0027.
 */
public final class BatchValidator {
    private static final int COMPRESSION_MASK = 0x07;
    private static final int MAX_COMPRESSION = 4;
    private static final int ZSTD = 4;
    private static final int FIRST_VERSION_WITH_ZSTD = 7;
    private static final int LOG_APPEND_TIME = 0x08;
    private static final int TRANSACTIONAL = 0x10;
    private static final int CONTROL = 0x20;

    private static final int ATTRIBUTES_AT = 21;
    private static final int MAX_TIMESTAMP_AT = 35;
    private static final int CRC_AT = 17;

    private BatchValidator() {}

    /**
     * Why a batch is refused; the message is for the producer's user.
     *
     * @param records those that are the reason; none if it is the batch
     */
    public record Refusal(Errors error, String message, List<BadRecord> records) {
        Refusal(Errors error, String message) {
            this(error, message, List.of());
        }
    }

    /**
     * Checks {@code records}, and gives it the timestamp type of the topic and the largest timestamp of its records (which
     * changes attributes, timestamp, checksum).
     *
     * @param produceVersion version of the request it came in
     * @param now milliseconds since the epoch
     * @return null if all is well
     * @throws WalkBudget.Spent nothing was found wrong so far, nothing was changed: check it where there is more time
     */
    public static @Nullable Refusal check(
            ByteBuf records, short produceVersion, BatchRules rules, long now, WalkBudget budget)
            throws WalkBudget.Spent {
        int at = records.readerIndex();
        int bytes = records.readableBytes();
        Refusal shape = checkShape(records, at, bytes, rules);
        if (shape == null) {
            shape = checkHeader(records, at, produceVersion);
        }
        if (shape == null && crc(records, at) != EntryHeader.crc(records, at)) {
            shape = new Refusal(Errors.CORRUPT_MESSAGE, "the checksum of the batch does not match");
        }
        return shape == null ? checkRecords(records, at, rules, now, budget) : shape;
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
        boolean tracked = EntryHeader.producerId(b, at) != EntryHeader.NO_PRODUCER;
        if ((attributes & TRANSACTIONAL) != 0 && !tracked) {
            return invalid("a batch of a transaction needs a producer id");
        }
        if (tracked && (EntryHeader.baseSequence(b, at) < 0 || EntryHeader.producerEpoch(b, at) < 0)) {
            return invalid("a batch with a producer id needs an epoch and a sequence number");
        }
        return null;
    }

    private static @Nullable Refusal checkRecords(ByteBuf b, int at, BatchRules rules, long now, WalkBudget budget)
            throws WalkBudget.Spent {
        int attributes = EntryHeader.attributes(b, at);
        boolean packed = (attributes & COMPRESSION_MASK) != 0;
        if (rules.logAppendTime() && (attributes & LOG_APPEND_TIME) != 0) {
            return new Refusal(Errors.INVALID_TIMESTAMP, "a producer may not say that it gives the time of the append");
        }
        if (packed && !rules.walkCompressed()) {
            long newest = EntryHeader.maxTimestamp(b, at);
            if (!rules.takes(newest, now)) {
                return new Refusal(Errors.INVALID_TIMESTAMP, "timestamp " + newest + " is too far from now, " + now);
            }
            giveTimestamps(b, at, rules, now, newest);
            return null;
        }
        int count = EntryHeader.count(b, at);
        int body = EntryHeader.size(b, at) - EntryHeader.SIZE;
        if (!packed && count > body / RecordWalk.SMALLEST_RECORD) {
            return invalid(body + " bytes cannot be " + count + " records");
        }
        budget.spendRecords(count);
        RecordWalk walk;
        try {
            walk = walk(
                    b,
                    at,
                    new RecordWalk.Expected(count, EntryHeader.baseTimestamp(b, at), rules, packed, now),
                    budget);
        } catch (RecordWalk.Unreadable e) {
            return invalid(String.valueOf(e.getMessage()));
        }
        List<BadRecord> bad = walk.bad();
        if (!bad.isEmpty()) {
            return new Refusal(
                    walk.timestampsRefused() ? Errors.INVALID_TIMESTAMP : Errors.INVALID_RECORD,
                    "the batch is refused for record " + bad.getFirst().index() + ": "
                            + bad.getFirst().why(),
                    bad);
        }
        giveTimestamps(b, at, rules, now, walk.newestTimestamp());
        return null;
    }

    private static RecordWalk walk(ByteBuf b, int at, RecordWalk.Expected expected, WalkBudget budget)
            throws RecordWalk.Unreadable, WalkBudget.Spent {
        int from = at + EntryHeader.SIZE;
        int length = EntryHeader.size(b, at) - EntryHeader.SIZE;
        CompressionType type = CompressionType.forId(EntryHeader.attributes(b, at) & COMPRESSION_MASK);
        if (type == CompressionType.NONE) {
            RecordWalk walk = new RecordWalk(new StoredPieces(b, from, length), expected);
            walk.run();
            return walk;
        }
        try (DecompressedPieces pieces = DecompressedPieces.of(b, from, length, type, budget)) {
            RecordWalk walk = new RecordWalk(pieces, expected);
            walk.run();
            return walk;
        }
    }

    private static void giveTimestamps(ByteBuf b, int at, BatchRules rules, long now, long newest) {
        int attributes = EntryHeader.attributes(b, at);
        int right = rules.logAppendTime() ? attributes | LOG_APPEND_TIME : attributes & ~LOG_APPEND_TIME;
        long largest = rules.logAppendTime() ? now : newest;
        if (right != attributes || largest != EntryHeader.maxTimestamp(b, at)) {
            b.setShort(at + ATTRIBUTES_AT, right);
            b.setLong(at + MAX_TIMESTAMP_AT, largest);
            b.setInt(at + CRC_AT, crc(b, at));
        }
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
