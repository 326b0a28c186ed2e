package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.util.zip.CRC32C;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.Commands;

/** Writes entries of {@link EntryFormat#PULSAR} in place of others. */
final class PulsarEntry {
    /** Header, highest sequence id, magic and checksum. */
    private static final int PREFIX = EntryHeader.SIZE + Long.BYTES + 6;

    private static final int LAST_OFFSET_DELTA_AT = 23;
    private static final int COUNT_AT = 57;

    /** Attribute of an entry that is not a chunk. */
    private static final short WHOLE = 1;

    /** Bytes to leave free before a payload that is to become an entry. */
    static final int ROOM_BEFORE = 512;

    /** Part of an entry that may be room which was not used. */
    private static final int PART_UNUSED = 8;

    private PulsarEntry() {}

    /** The entry, on the heap, with offsets, epoch and times of the one at {@code at}; what is given stays the caller's. */
    static ByteBuf write(ByteBuf entries, int at, MessageMetadata metadata, ByteBuf payload) {
        ByteBuf bytes = Unpooled.buffer(metadata.getSerializedSize());
        metadata.writeTo(bytes);
        return write(entries, at, bytes, payload, metadata.getSequenceId(), isChunk(metadata) ? 0 : WHOLE);
    }

    /** One message of the entry at {@code at}, as an entry with the one offset {@code base + index}. */
    static ByteBuf writeOne(ByteBuf entries, int at, int index, MessageMetadata metadata, ByteBuf payload) {
        ByteBuf one = write(entries, at, metadata, payload);
        one.setLong(0, EntryHeader.baseOffset(entries, at) + index).setInt(LAST_OFFSET_DELTA_AT, 0);
        return one.setInt(COUNT_AT, 1);
    }

    /** If not, a stored entry's metadata need not be looked at to know that it is no chunk. */
    static boolean mayBeChunk(ByteBuf entries, int at) {
        return (EntryHeader.attributes(entries, at) & WHOLE) == 0;
    }

    private static boolean isChunk(MessageMetadata metadata) {
        return metadata.hasUuid() && metadata.hasChunkId() && metadata.hasNumChunksFromMsg();
    }

    private static ByteBuf write(
            ByteBuf entries, int at, ByteBuf metadata, ByteBuf payload, long sequence, int attributes) {
        int behind = Integer.BYTES + metadata.readableBytes() + payload.readableBytes();
        ByteBuf b = Unpooled.buffer(PREFIX + behind);
        writePrefix(b, entries, at, behind, sequence, attributes);
        b.writeInt(metadata.readableBytes());
        b.writeBytes(metadata, metadata.readerIndex(), metadata.readableBytes());
        b.writeBytes(payload, payload.readerIndex(), payload.readableBytes());
        return withChecksum(b);
    }

    private static void writePrefix(ByteBuf b, ByteBuf entries, int at, int behind, long sequence, int attributes) {
        b.writeLong(EntryHeader.baseOffset(entries, at));
        b.writeInt(PREFIX + behind - EntryHeader.LENGTH_OVERHEAD).writeInt(EntryHeader.leaderEpoch(entries, at));
        b.writeByte(EntryFormat.PULSAR).writeInt(0); // nobody looks at the checksum of what is not stored
        b.writeShort(attributes).writeInt(EntryHeader.lastOffsetDelta(entries, at));
        b.writeLong(EntryHeader.baseTimestamp(entries, at)).writeLong(EntryHeader.maxTimestamp(entries, at));
        b.writeLong(EntryHeader.NO_PRODUCER).writeShort(0).writeInt(0);
        b.writeInt(EntryHeader.offsets(entries, at)).writeLong(sequence);
        b.writeShort(Commands.magicCrc32c).writeInt(0);
    }

    private static ByteBuf withChecksum(ByteBuf b) {
        CRC32C crc = new CRC32C();
        crc.update(b.nioBuffer(PREFIX, b.readableBytes() - PREFIX));
        return b.setInt(PREFIX - Integer.BYTES, (int) crc.getValue());
    }

    /**
     * As {@link #write}, of a payload that becomes the entry's and is not copied, if there is room for the rest before its first byte and not much
     * behind its last.
     */
    static ByteBuf writeAround(ByteBuf entries, int at, MessageMetadata metadata, ByteBuf payload) {
        int size = metadata.getSerializedSize();
        int behind = Integer.BYTES + size + payload.readableBytes();
        int start = payload.writerIndex() - PREFIX - behind;
        if (start < 0 || payload.capacity() - behind > behind / PART_UNUSED + ROOM_BEFORE) {
            return write(entries, at, metadata, payload);
        }
        int end = payload.writerIndex();
        payload.setIndex(start, start);
        int attributes = isChunk(metadata) ? 0 : WHOLE;
        writePrefix(payload, entries, at, behind, metadata.getSequenceId(), attributes);
        metadata.writeTo(payload.writeInt(size));
        return withChecksum(payload.slice(start, end - start));
    }

    /** As the other, of a metadata's bytes. */
    static ByteBuf write(ByteBuf entries, int at, byte[] metadata, MessageMetadata parsed, ByteBuf payload) {
        return write(
                entries,
                at,
                Unpooled.wrappedBuffer(metadata),
                payload,
                parsed.getSequenceId(),
                isChunk(parsed) ? 0 : WHOLE);
    }
}
