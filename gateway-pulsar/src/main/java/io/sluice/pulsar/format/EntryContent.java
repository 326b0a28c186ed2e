package io.sluice.pulsar.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.broker.entry.EntryHeader;
import java.io.IOException;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.compression.CompressionCodecProvider;

/**
 * A stored entry of one of Pulsar's formats, opened.
 *
 * @param storedBytes what the producer sent, with its metadata
 * @param payload decompressed unless it is encrypted: a message, or a batch of them behind their own metadata
 */
public record EntryContent(MessageMetadata metadata, int storedBytes, byte[] payload) {
    /** A payload that says it is larger is not opened. */
    private static final int LARGEST = 128 << 20;

    /** @throws MalformedEntryException if it does not read */
    public static EntryContent of(ByteBuf entries, int at) {
        MessageMetadata metadata = new MessageMetadata();
        StoredEntry.metadata(entries, at, metadata);
        int sizeAt = StoredEntry.body(entries, at) + StoredEntry.METADATA_SIZE;
        int payloadAt = sizeAt + Integer.BYTES + entries.getInt(at + sizeAt);
        int payloadSize = EntryHeader.size(entries, at) - payloadAt;
        int stored = EntryHeader.size(entries, at) - StoredEntry.body(entries, at);
        ByteBuf packed = entries.slice(at + payloadAt, payloadSize);
        metadata.materialize();
        if (metadata.getEncryptionKeysCount() > 0) {
            return new EntryContent(metadata, stored, ByteBufUtil.getBytes(packed));
        }
        if (metadata.getUncompressedSize() > LARGEST) {
            throw new MalformedEntryException("a payload of " + metadata.getUncompressedSize() + " bytes");
        }
        try {
            ByteBuf plain = CompressionCodecProvider.getCompressionCodec(metadata.getCompression())
                    .decode(packed, metadata.getUncompressedSize());
            try {
                return new EntryContent(metadata, stored, ByteBufUtil.getBytes(plain));
            } finally {
                plain.release();
            }
        } catch (IOException | RuntimeException e) { // what codecs throw is not narrower
            throw new MalformedEntryException("a payload that does not decompress: " + e);
        }
    }
}
