package io.sluice.pulsar.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.compaction.AbortedData;
import io.sluice.broker.compaction.KeyedEntries;
import io.sluice.broker.compaction.Survivors;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.conversion.MessageKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;

/**
 * Pulsar's messages as compaction sees them; what stays is as with Pulsar's broker: the newest message of each key, none whose content is
 * empty, none without a key. A batch stays with its places, of which those that went are marked. Batches that cannot be opened stay whole,
 * encrypted ones count as one message.
 *
 * <p>Not as there: keys are the same if their bytes are, whether they came as text or as Base64, so that they are one key with Kafka's records;
 * and a message in chunks is one message, of which all chunks stay or go, and those of one that is not complete yet stay.
 *
 * <p>In the log itself, where nobody else has what goes, messages whose content is empty are tombstones, which stay for a while as Kafka's do;
 * encrypted batches stay whole; and so do delayed batches of which anything stays, as the index of delayed entries names whole ones.
 */
public enum KeyedMessages implements KeyedEntries {
    FORMAT;

    /** Attribute of a chunk that a compaction has kept: its message is complete, so it goes when there is a newer one. */
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
        RewrittenEntries left = new RewrittenEntries(in, survivors);
        MessagesOfEntry entry = new MessagesOfEntry();
        for (int at = 0; at < in.writerIndex(); at += EntryHeader.size(in, at)) {
            left.begin(at);
            if (!isAborted(in, at, aborted)) {
                entry.open(in, at);
                rewrite(in, at, entry, survivors, left);
            }
            left.end();
        }
        entries.position(entries.limit());
        return left.bytes();
    }

    private static void rewrite(ByteBuf in, int at, MessagesOfEntry entry, Survivors survivors, RewrittenEntries left) {
        if (!entry.isReadable() || entry.isEncryptedBatch() && !survivors.isView()) {
            left.keep();
        } else if (entry.isBatch()) {
            rewriteBatch(in, at, entry, survivors, left);
        } else if (entry.isMarker() || !entry.hasKey()) {
            return;
        } else if (entry.isChunk()) {
            rewriteChunk(in, at, entry, survivors, left);
        } else if (stays(keyOf(entry.metadata()), EntryHeader.baseOffset(in, at), entry.isEmpty(), survivors, left)) {
            left.keep();
        }
    }

    /** Whether a message stays, which is a tombstone if it is empty. */
    private static boolean stays(
            ByteBuffer key, long offset, boolean empty, Survivors survivors, RewrittenEntries left) {
        return survivors.isNewest(key, offset) && (!empty || left.keepsTombstone());
    }

    private static void rewriteChunk(
            ByteBuf in, int at, MessagesOfEntry entry, Survivors survivors, RewrittenEntries left) {
        boolean known = (EntryHeader.attributes(in, at) & COMPLETE) != 0;
        long last = survivors.newest(uuidOf(entry));
        if (last < 0 && known) {
            last = EntryHeader.baseOffset(in, at); // all keys of this pass are newer than the message
        }
        if (last < 0) {
            left.keep();
        } else if (survivors.isNewest(keyOf(entry.metadata()), last)) {
            left.keep(COMPLETE);
        }
    }

    private static void rewriteBatch(
            ByteBuf in, int at, MessagesOfEntry entry, Survivors survivors, RewrittenEntries left) {
        long base = EntryHeader.baseOffset(in, at);
        var rest = new RewrittenEntries.Batch();
        boolean read = entry.forEach(in, at, (index, message, payload) -> {
            boolean stays =
                    hasKey(message) && stays(keyOf(message), base + index, !payload.isReadable(), survivors, left);
            rest.add(stays, message, payload);
            return true;
        });
        boolean whole = rest.isWhole() || EntryHeader.isDelayed(in, at) && !survivors.isView();
        if (!read || whole && rest.stay() > 0) {
            left.keep();
        } else if (rest.stay() > 0) {
            left.keep(entry.metadata(), rest);
        }
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
