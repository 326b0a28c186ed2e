package io.sluice.pulsar.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.sluice.broker.entry.ClusterMarker;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.pulsar.wire.Checksum;
import org.apache.pulsar.common.api.proto.MarkerType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a producer sent into an entry: checks its CRC32C, reads what the log must know, and puts the entry's header in
 * front without touching the payload. One per connection; event loop only.
 */
public final class Publish {
    /** Messages one batch may claim to hold; each takes an offset. */
    private static final int MAX_COUNT = 1_000_000;

    private static final int CHECKSUM_BYTES = 6;
    /** From here on combining two CRCs is cheaper than reading the payload a second time. */
    private static final int COMBINE_FROM = 8 * 1024;

    private final Checksum checksum = new Checksum();
    private MessageMetadata metadata = new MessageMetadata();

    /** Fault found by {@link #read}. */
    public enum Fault {
        NONE,
        CHECKSUM,
        MALFORMED
    }

    private int from;
    private int length;
    private boolean summed;
    private int payloadCrc;
    private int count;

    /** Reads the metadata of {@code [readerIndex, end)}; the other methods tell about it until the next call. */
    public Fault read(ByteBuf in, int end) {
        int at = in.readerIndex();
        summed = end - at > CHECKSUM_BYTES && in.getShort(at) == Commands.magicCrc32c;
        from = summed ? at + CHECKSUM_BYTES : at;
        length = end - from;
        if (length < 4) {
            return Fault.MALFORMED;
        }
        payloadCrc = checksum.of(in, from, length);
        if (summed && in.getInt(at + 2) != payloadCrc) {
            return Fault.CHECKSUM;
        }
        int size = in.getInt(from);
        if (size < 1 || size > length - 4) {
            return Fault.MALFORMED;
        }
        if (!parse(in, size)) {
            return Fault.MALFORMED;
        }
        count = metadata.hasNumMessagesInBatch() ? metadata.getNumMessagesInBatch() : 1;
        return count < 1 || count > MAX_COUNT ? Fault.MALFORMED : Fault.NONE;
    }

    /** False if it is no metadata, or goes on behind its end, where a reader of the stored entry would find other bytes. */
    private boolean parse(ByteBuf in, int size) {
        in.readerIndex(from + 4);
        try {
            metadata.parseFrom(in, size);
        } catch (RuntimeException e) {
            metadata = new MessageMetadata(); // one that broke off may never be cleared
            return false;
        }
        return in.readerIndex() == from + 4 + size;
    }

    public int count() {
        return count;
    }

    /** Milliseconds between the times of publishing and of delivery that the producer has set; 0 or less for at once. */
    public long delay() {
        return metadata.hasDeliverAtTime() ? metadata.getDeliverAtTime() - metadata.getPublishTime() : 0;
    }

    /** See {@link StoredEntry#stickyHash}. */
    public int stickyHash() {
        return StoredEntry.stickyHash(metadata);
    }

    /** The chunks of one message share its sequence id, so only the last may be looked at for duplicates. */
    public boolean isInnerChunk() {
        return metadata.hasNumChunksFromMsg()
                && metadata.hasChunkId()
                && metadata.getChunkId() < metadata.getNumChunksFromMsg() - 1;
    }

    public boolean isChunk() {
        return metadata.hasNumChunksFromMsg() && metadata.getNumChunksFromMsg() > 1;
    }

    public boolean isEncrypted() {
        return metadata.getEncryptionKeysCount() > 0;
    }

    /** Whether it is of the server that sent it, not of a client of that: it says where something begins or ends, and is no message. */
    public boolean isMarker() {
        return metadata.hasMarkerType();
    }

    /** Whether it is a marker that clusters send each other about subscriptions, but for those that stay where they are. */
    public boolean isSubscriptionMarker() {
        return isMarker()
                && length <= ClusterMarker.MOST_BYTES
                && switch (metadata.getMarkerType()) {
                    case MarkerType.REPLICATED_SUBSCRIPTION_SNAPSHOT_REQUEST_VALUE,
                            MarkerType.REPLICATED_SUBSCRIPTION_SNAPSHOT_RESPONSE_VALUE,
                            MarkerType.REPLICATED_SUBSCRIPTION_UPDATE_VALUE -> metadata.hasReplicatedFrom();
                    default -> false;
                };
    }

    /**
     * The entry of a {@linkplain #isSubscriptionMarker marker}, without its checksum. The caller owns it.
     *
     * @param now milliseconds since the epoch
     */
    public ByteBuf marker(ByteBufAllocator allocator, ByteBuf in, long now) {
        return ClusterMarker.entry(allocator, in.slice(from, length), now);
    }

    /** See {@link SourcePosition}; null where the message has none. */
    public @Nullable SourcePosition sourcePosition() {
        return SourcePosition.of(metadata);
    }

    /**
     * The entry of what {@link #read} read: a new header and a retained slice of {@code in}. The caller owns it.
     *
     * @param producerId {@link EntryHeader#NO_PRODUCER} to store it whatever came before
     * @param first sequence id of the first message
     * @param last sequence id of the last message
     * @param transaction its producer id; {@link EntryHeader#NO_PRODUCER} if it is of none
     */
    public ByteBuf entry(
            ByteBufAllocator allocator, ByteBuf in, long producerId, long first, long last, long transaction) {
        boolean transactional = transaction != EntryHeader.NO_PRODUCER;
        int prefix = StoredEntry.body(transactional) + CHECKSUM_BYTES;
        ByteBuf head = allocator.directBuffer(prefix, prefix);
        head.writeLong(0);
        head.writeInt(prefix + length - EntryHeader.LENGTH_OVERHEAD);
        head.writeInt(0);
        head.writeByte(transactional ? EntryFormat.PULSAR_TRANSACTIONAL : EntryFormat.PULSAR);
        head.writeInt(0);
        head.writeShort(attributes());
        head.writeInt(count - 1);
        head.writeLong(metadata.getPublishTime());
        head.writeLong(metadata.getPublishTime());
        head.writeLong(producerId);
        head.writeShort(0);
        head.writeInt((int) Math.clamp(last - first, 0, Integer.MAX_VALUE));
        head.writeInt(count);
        head.writeLong(Math.max(first, last));
        if (transactional) {
            head.writeLong(transaction);
        }
        head.writeShort(Commands.magicCrc32c);
        head.writeInt(payloadCrc);
        CompositeByteBuf entry = allocator
                .compositeDirectBuffer(2)
                .addComponent(true, head)
                .addComponent(true, in.retainedSlice(from, length));
        head.setInt(17, crc(head, entry));
        return entry;
    }

    private int attributes() {
        return (StoredEntry.isChunk(metadata) ? 0 : StoredEntry.WHOLE)
                | (metadata.hasDeliverAtTime() ? EntryHeader.DELAYED : 0);
    }

    private int crc(ByteBuf head, ByteBuf entry) {
        int covered = head.writerIndex() - EntryHeader.CRC_FROM;
        if (length >= COMBINE_FROM) {
            return Checksum.combine(checksum.of(head, EntryHeader.CRC_FROM, covered), payloadCrc, length);
        }
        return checksum.of(entry, EntryHeader.CRC_FROM, covered + length);
    }
}
