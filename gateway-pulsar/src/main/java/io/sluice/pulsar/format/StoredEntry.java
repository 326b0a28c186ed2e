package io.sluice.pulsar.format;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.nio.charset.StandardCharsets;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.util.Murmur3_32Hash;

/** Where things are in a stored entry of one of {@link EntryFormat#isPulsar Pulsar's formats}. */
public final class StoredEntry {
    /** Where the producer's bytes begin: behind the header and the highest sequence id. */
    private static final int BODY = EntryHeader.SIZE + Long.BYTES;

    /** As {@link #BODY}, behind the transaction. */
    private static final int TRANSACTIONAL_BODY = BODY + Long.BYTES;

    /** Sticky-key hashes are 1 to this; 0 means not computed. */
    public static final int HASHES = 65_535;

    /** Attribute of entries that are not a chunk of a message; older entries lack it whatever they are. */
    public static final short WHOLE = 1;

    /** From the beginning of the producer's bytes: behind the checksum. */
    static final int METADATA_SIZE = 6;

    private StoredEntry() {}

    /** Where the bytes of the producer of the entry at {@code at} begin, from there. */
    public static int body(ByteBuf entries, int at) {
        return body(EntryHeader.format(entries, at) == EntryFormat.PULSAR_TRANSACTIONAL);
    }

    static int body(boolean transactional) {
        return transactional ? TRANSACTIONAL_BODY : BODY;
    }

    /**
     * Parses the metadata of the entry at {@code at} into {@code into}; the buffer's indexes are left as they were.
     *
     * @throws MalformedEntryException if it does not read; {@code into} is of no use then
     */
    public static void metadata(ByteBuf entries, int at, MessageMetadata into) {
        int sizeAt = body(entries, at) + METADATA_SIZE;
        int room = EntryHeader.size(entries, at) - sizeAt - Integer.BYTES;
        int size = room < 0 ? -1 : entries.getInt(at + sizeAt);
        if (size < 0 || size > room) {
            throw new MalformedEntryException("metadata of " + size + " bytes where there is room for " + room);
        }
        int reader = entries.readerIndex();
        try {
            entries.readerIndex(at + sizeAt + Integer.BYTES);
            into.parseFrom(entries, size);
        } catch (RuntimeException e) { // what the generated parser throws is not narrower
            throw new MalformedEntryException("metadata that does not parse: " + e);
        } finally {
            entries.readerIndex(reader);
        }
    }

    /** Hash of the key that orders the entry with this metadata under Key_Shared, 1 to {@link #HASHES}. */
    public static int stickyHash(MessageMetadata metadata) {
        return hash(stickyKey(metadata));
    }

    /** If not, the entry's metadata need not be looked at to know that it {@link #isChunk is none}. */
    public static boolean mayBeChunk(ByteBuf entries, int at) {
        return (EntryHeader.attributes(entries, at) & WHOLE) == 0;
    }

    /** Whether it is a part of a message that was too large for one entry. */
    public static boolean isChunk(MessageMetadata metadata) {
        return metadata.hasUuid() && metadata.hasChunkId() && metadata.hasNumChunksFromMsg();
    }

    /** 1 to {@link #HASHES}. Pulsar's, as applications work it out that name the hashes they want: 0 stands for none there, and becomes 1. */
    public static int hash(byte[] key) {
        return Math.max(1, Murmur3_32Hash.getInstance().makeHash(key) % (HASHES + 1));
    }

    private static byte[] stickyKey(MessageMetadata metadata) {
        try {
            return Commands.resolveStickyKey(metadata);
        } catch (IllegalArgumentException e) {
            // said to be Base64 and is not: the text still names one key
            return metadata.getPartitionKey().getBytes(StandardCharsets.UTF_8);
        }
    }
}
