package io.sluice.conversion;

import com.github.luben.zstd.Zstd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Factory;
import org.apache.pulsar.common.api.proto.CompressionType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.xerial.snappy.Snappy;

/** Decompresses what Pulsar's producers compress. Pulsar's own codecs leak their buffer where a payload is not as large as it says. */
public final class PulsarPayload {
    private PulsarPayload() {}

    /** The payload of an entry with this metadata, decompressed, {@code most} bytes at most. */
    public static byte[] read(MessageMetadata metadata, ByteBuf packed, int most) throws UnreadableEntryException {
        CompressionType type = metadata.getCompression();
        int size = type == CompressionType.NONE ? packed.readableBytes() : metadata.getUncompressedSize();
        if (size < 0 || size > most) {
            throw new UnreadableEntryException(
                    "it has " + Integer.toUnsignedLong(size) + " bytes, the limit is " + most);
        }
        byte[] bytes = ByteBufUtil.getBytes(packed);
        if (type == CompressionType.NONE) {
            return bytes;
        }
        byte[] out = new byte[size];
        try {
            if (unpack(type, bytes, out) == size) {
                return out;
            }
        } catch (IOException | DataFormatException | RuntimeException e) { // what codecs throw is not narrower
            throw new UnreadableEntryException("it cannot be decompressed");
        }
        throw new UnreadableEntryException("it cannot be decompressed to " + size + " bytes");
    }

    /** As {@link #read}, but {@code packed} itself where it is not compressed. */
    static ByteBuf open(MessageMetadata metadata, ByteBuf packed, int most) throws UnreadableEntryException {
        boolean asIs = metadata.getCompression() == CompressionType.NONE && packed.readableBytes() <= most;
        return asIs ? packed : Unpooled.wrappedBuffer(read(metadata, packed, most));
    }

    private static long unpack(CompressionType type, byte[] packed, byte[] out)
            throws IOException, DataFormatException {
        return switch (type) {
            case NONE -> 0;
            case LZ4 -> LZ4Factory.fastestInstance().safeDecompressor().decompress(packed, out);
            case ZSTD -> Zstd.decompressByteArray(out, 0, out.length, packed, 0, packed.length);
            case SNAPPY ->
                Snappy.uncompressedLength(packed) == out.length
                        ? Snappy.uncompress(packed, 0, packed.length, out, 0)
                        : -1;
            case ZLIB -> inflate(packed, out);
        };
    }

    private static int inflate(byte[] packed, byte[] out) throws DataFormatException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(packed);
            return inflater.inflate(out);
        } finally {
            inflater.end();
        }
    }
}
