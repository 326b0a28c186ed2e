package io.sluice.pulsar.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.compaction.AbortedData;
import io.sluice.broker.compaction.KeyedEntries;
import io.sluice.broker.compaction.Survivors;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.conversion.MessageKey;
import io.sluice.pulsar.wire.Checksum;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.compression.CompressionCodecProvider;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Pulsar's messages as compaction sees them; what stays is as with Pulsar's broker: the newest message of each key, none whose content is
 * empty, none without a key. A batch stays with its places, of which those that went are marked. Batches that cannot be opened stay whole,
 * encrypted ones count as one message.
 *
 * <p>Not as there: keys are the same if their bytes are, whether they came as text or as Base64, so that they are one key with Kafka's records;
 * and a message in chunks is one message, of which all chunks stay or go, and those of one that is not complete yet stay.
 */
public enum KeyedMessages implements KeyedEntries {
    FORMAT;

    /** Attribute of a chunk in a view: its message is complete, so it goes when there is a newer one. */
    private static final short COMPLETE = 2;

    /** Stands before the UUID of a message in chunks, which has an offset of its own: that of its last chunk. */
    private static final String CHUNKED = "\u0000chunks\u0000";

    @Override
    public byte format() {
        return EntryFormat.PULSAR;
    }

    private static ByteBuffer keyOf(MessageMetadata message) {
        return ByteBuffer.wrap(new MessageKey(message.getPartitionKey(), message.isPartitionKeyB64Encoded()).bytes());
    }

    private static ByteBuffer keyOf(SingleMessageMetadata message) {
        return ByteBuffer.wrap(new MessageKey(message.getPartitionKey(), message.isPartitionKeyB64Encoded()).bytes());
    }

    private static boolean isAborted(ByteBuf in, int at, AbortedData aborted) {
        return EntryHeader.isTransactional(in, at)
                && aborted.has(EntryHeader.transactionProducerId(in, at), EntryHeader.baseOffset(in, at));
    }

    // ---- first pass

    @Override
    public boolean readKeys(ByteBuffer entries, AbortedData aborted, Keys keys) {
        ByteBuf in = Unpooled.wrappedBuffer(entries);
        MessagesOfEntry entry = new MessagesOfEntry();
        for (int at = 0; at < in.writerIndex(); at += EntryHeader.size(in, at)) {
            if (!isAborted(in, at, aborted)) {
                entry.open(in, at);
                if (entry.isReadable() && !readKeys(in, at, entry, keys)) {
                    return false;
                }
            }
        }
        entries.position(entries.limit());
        return true;
    }

    private static boolean readKeys(ByteBuf in, int at, MessagesOfEntry entry, Keys keys) {
        long base = EntryHeader.baseOffset(in, at);
        if (entry.isBatch()) {
            boolean[] room = {true};
            entry.forEach(in, at, (index, message, payload) -> {
                room[0] = !hasKey(message) || keys.add(keyOf(message), base + index);
                return room[0];
            });
            return room[0];
        }
        if (!entry.hasKey() || entry.isMarker()) {
            return true;
        }
        ByteBuffer key = keyOf(entry.metadata());
        if (!entry.isChunk()) {
            return keys.add(key, base);
        }
        return !entry.isLastChunk() || keys.add(key, base) && keys.add(uuidOf(entry), base);
    }

    private static boolean hasKey(SingleMessageMetadata message) {
        return !message.isCompactedOut() && message.hasPartitionKey();
    }

    private static ByteBuffer uuidOf(MessagesOfEntry entry) {
        return ByteBuffer.wrap((CHUNKED + entry.metadata().getUuid()).getBytes(StandardCharsets.UTF_8));
    }

    // ---- second pass

    @Override
    public ByteBuffer rewrite(ByteBuffer entries, AbortedData aborted, Survivors survivors) {
        ByteBuf in = Unpooled.wrappedBuffer(entries);
        ByteBuf left = Unpooled.buffer(in.writerIndex());
        MessagesOfEntry entry = new MessagesOfEntry();
        for (int at = 0; at < in.writerIndex(); at += EntryHeader.size(in, at)) {
            if (!isAborted(in, at, aborted)) {
                entry.open(in, at);
                rewrite(in, at, entry, survivors, left);
            }
        }
        entries.position(entries.limit());
        return left.nioBuffer();
    }

    private static void rewrite(ByteBuf in, int at, MessagesOfEntry entry, Survivors survivors, ByteBuf out) {
        if (!entry.isReadable()) {
            copy(in, at, out);
        } else if (entry.isBatch()) {
            rewriteBatch(in, at, entry, survivors, out);
        } else if (entry.isMarker() || !entry.hasKey()) {
            return;
        } else if (entry.isChunk()) {
            rewriteChunk(in, at, entry, survivors, out);
        } else if (!entry.isEmpty() && survivors.isNewest(keyOf(entry.metadata()), EntryHeader.baseOffset(in, at))) {
            copy(in, at, out);
        }
    }

    private static void copy(ByteBuf in, int at, ByteBuf out) {
        out.writeBytes(in, at, EntryHeader.size(in, at));
    }

    private static void rewriteChunk(ByteBuf in, int at, MessagesOfEntry entry, Survivors survivors, ByteBuf out) {
        ByteBuffer key = keyOf(entry.metadata());
        if ((EntryHeader.attributes(in, at) & COMPLETE) != 0) {
            if (survivors.isNewest(key, EntryHeader.baseOffset(in, at))) {
                copy(in, at, out);
            }
            return;
        }
        long last = survivors.newest(uuidOf(entry));
        if (last >= 0 && !survivors.isNewest(key, last)) {
            return;
        }
        int begin = out.writerIndex();
        copy(in, at, out);
        if (last >= 0) {
            out.setShort(begin + 21, EntryHeader.attributes(in, at) | COMPLETE);
            sum(out, begin);
        }
    }

    /** Which messages of a batch stay, and the batch with the others marked. */
    private static final class Rebatch {
        private final ByteBuf batch = Unpooled.buffer();
        private final SingleMessageMetadata gone = new SingleMessageMetadata().setCompactedOut(true);
        private int stay;
        private int before;

        void add(boolean stays, SingleMessageMetadata message, ByteBuf payload) {
            before += message.isCompactedOut() ? 0 : 1;
            if (stays) {
                stay++;
                Commands.serializeSingleMessageInBatchWithPayload(message, payload, batch);
            } else {
                Commands.serializeSingleMessageInBatchWithPayload(gone, Unpooled.EMPTY_BUFFER, batch);
            }
        }
    }

    private static void rewriteBatch(ByteBuf in, int at, MessagesOfEntry entry, Survivors survivors, ByteBuf out) {
        long base = EntryHeader.baseOffset(in, at);
        Rebatch rest = new Rebatch();
        boolean read = entry.forEach(in, at, (index, message, payload) -> {
            boolean stays = hasKey(message) && payload.isReadable() && survivors.isNewest(keyOf(message), base + index);
            rest.add(stays, message, payload);
            return true;
        });
        if (!read || rest.stay == rest.before && rest.stay > 0) {
            copy(in, at, out);
        } else if (rest.stay > 0) {
            write(in, at, entry.metadata(), rest, out);
        }
    }

    /** As {@link Publish#entry} has it, with fewer messages in as many places. */
    private static void write(ByteBuf in, int at, MessageMetadata metadata, Rebatch rest, ByteBuf out) {
        ByteBuf packed = CompressionCodecProvider.getCompressionCodec(metadata.getCompression())
                .encode(rest.batch);
        metadata.setUncompressedSize(rest.batch.writerIndex());
        ByteBuf body = Commands.serializeMetadataAndPayload(Commands.ChecksumType.Crc32c, metadata, packed);
        try {
            int begin = out.writerIndex();
            int head = StoredEntry.body(in, at);
            out.writeBytes(in, at, head).writeBytes(body);
            out.setInt(begin + 8, out.writerIndex() - begin - EntryHeader.LENGTH_OVERHEAD);
            out.setInt(begin + 57, rest.stay);
            sum(out, begin);
        } finally {
            packed.release();
            body.release();
        }
    }

    private static void sum(ByteBuf out, int at) {
        int from = at + EntryHeader.CRC_FROM;
        out.setInt(at + 17, new Checksum().of(out, from, at + EntryHeader.size(out, at) - from));
    }

    /** Index in its batch of the last message that stayed in a stored entry; -1 if it is no batch that can be opened. */
    public static int lastIndex(ByteBuf entries, int at) {
        MessagesOfEntry entry = new MessagesOfEntry();
        entry.open(entries, at);
        if (!entry.isReadable() || !entry.isBatch()) {
            return -1;
        }
        int[] last = {-1};
        entry.forEach(entries, at, (index, message, payload) -> {
            last[0] = message.isCompactedOut() ? last[0] : index;
            return true;
        });
        return last[0];
    }
}
