package io.sluice.pulsar.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.compaction.Survivors;
import io.sluice.broker.entry.EmptyBatch;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.pulsar.wire.Checksum;
import java.nio.ByteBuffer;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.compression.CompressionCodecProvider;
import org.apache.pulsar.common.protocol.Commands;

/** Entries that a compaction leaves of others, one after the other: {@link #begin}, perhaps one of the {@code keep}s, {@link #end}. */
final class RewrittenEntries {
    private static final int LENGTH_AT = 8;
    private static final int CRC_AT = 17;
    private static final int ATTRIBUTES_AT = 21;
    private static final int COUNT_AT = 57;

    private final ByteBuf in;
    private final Survivors survivors;
    private final ByteBuf out;
    private final Checksum checksum = new Checksum();
    private int at;
    /** Where the current entry begins in what is written. */
    private int begin;
    /** The current entry has a tombstone that stays. */
    private boolean hasTombstone;

    RewrittenEntries(ByteBuf in, Survivors survivors) {
        this.in = in;
        this.survivors = survivors;
        this.out = Unpooled.buffer(in.writerIndex());
    }

    /** Comes to the entry at {@code at}. */
    void begin(int at) {
        this.at = at;
        begin = out.writerIndex();
        hasTombstone = false;
    }

    /** Whether a tombstone of the entry stays: until its time is over, which begins when a compaction first meets it. Never in a view. */
    boolean keepsTombstone() {
        long horizon = EntryHeader.deleteHorizon(in, at);
        boolean keeps = !survivors.isView() && (horizon == EntryHeader.NO_HORIZON || survivors.now() < horizon);
        hasTombstone |= keeps;
        return keeps;
    }

    /** Keeps the whole entry. */
    void keep() {
        keep((short) 0);
    }

    /** Keeps the whole entry, with these attributes added. */
    void keep(short attributes) {
        out.writeBytes(in, at, EntryHeader.size(in, at));
        short had = EntryHeader.attributes(in, at);
        if ((had | attributes) != had) {
            out.setShort(begin + ATTRIBUTES_AT, had | attributes);
            sum();
        }
    }

    /** Keeps the entry with fewer messages in as many places; otherwise as {@link Publish#entry} has it. */
    void keep(MessageMetadata metadata, Batch rest) {
        ByteBuf packed = CompressionCodecProvider.getCompressionCodec(metadata.getCompression())
                .encode(rest.messages);
        metadata.setUncompressedSize(rest.messages.writerIndex());
        ByteBuf body = Commands.serializeMetadataAndPayload(Commands.ChecksumType.Crc32c, metadata, packed);
        try {
            out.writeBytes(in, at, StoredEntry.body(in, at)).writeBytes(body);
            out.setInt(begin + LENGTH_AT, out.writerIndex() - begin - EntryHeader.LENGTH_OVERHEAD);
            out.setInt(begin + COUNT_AT, rest.stay);
            sum();
        } finally {
            packed.release();
            body.release();
        }
    }

    /** Goes past the entry. Of the last one before the end of a compaction something stays. */
    void end() {
        boolean stays = out.writerIndex() > begin;
        if (stays && EntryHeader.isTransactional(in, at)) {
            survivors.stays(EntryHeader.transactionProducerId(in, at));
        }
        if (stays && hasTombstone && EntryHeader.deleteHorizon(in, at) == EntryHeader.NO_HORIZON) {
            EntryHeader.setDeleteHorizon(out, begin, survivors.now() + survivors.deleteRetentionMillis());
            sum();
        }
        if (!stays && survivors.isLast(EntryHeader.lastOffset(in, at))) {
            out.writeBytes(EmptyBatch.of(in, at));
        }
    }

    private void sum() {
        int from = begin + EntryHeader.CRC_FROM;
        out.setInt(begin + CRC_AT, checksum.of(out, from, begin + EntryHeader.size(out, begin) - from));
    }

    /** All that was kept. */
    ByteBuffer bytes() {
        return out.nioBuffer();
    }

    /** Messages of a batch, of which those that go are marked. */
    static final class Batch {
        private final ByteBuf messages = Unpooled.buffer();
        private final SingleMessageMetadata gone = new SingleMessageMetadata().setCompactedOut(true);
        private int stay;
        private int before;

        void add(boolean stays, SingleMessageMetadata message, ByteBuf payload) {
            before += message.isCompactedOut() ? 0 : 1;
            if (stays) {
                stay++;
                Commands.serializeSingleMessageInBatchWithPayload(message, payload, messages);
            } else {
                Commands.serializeSingleMessageInBatchWithPayload(gone, Unpooled.EMPTY_BUFFER, messages);
            }
        }

        int stay() {
            return stay;
        }

        /** Whether nothing has gone that was there before. */
        boolean isWhole() {
            return stay == before;
        }
    }
}
