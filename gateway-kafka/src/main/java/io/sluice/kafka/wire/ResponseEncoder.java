package io.sluice.kafka.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/**
 * A response as one frame: length, header and body in one direct buffer, and log slices between its parts.
 *
 * <pre>  | length i32 | header | body ... | log slice | body ... | log slice | body |  </pre>
 */
public final class ResponseEncoder implements Writable {
    /** Bytes of the length prefix. */
    private static final int PREFIX = 4;

    private final ByteBuf own;
    private final @Nullable CompositeByteBuf spliced;
    private int splicedUpTo;

    private ResponseEncoder(ByteBuf own, @Nullable CompositeByteBuf spliced) {
        this.own = own;
        this.spliced = spliced;
    }

    /**
     * A response of which the size is known. A field of fixed size may be set until it is encoded.
     *
     * @param bytes of the frame without its length prefix
     */
    public record Sized(
            ApiMessage body,
            short version,
            ResponseHeaderData header,
            short headerVersion,
            ObjectSerializationCache cache,
            int bytes,
            int ownBytes) {
        /** The caller owns the frame, which holds references of its own to the {@link LogRecords} in the body. */
        public ByteBuf encode(ByteBufAllocator allocator) {
            return ResponseEncoder.encode(allocator, this);
        }
    }

    /** Measures the response to the given request. */
    public static Sized measure(RequestHeader request, ApiMessage body) {
        short version = request.apiVersion();
        short headerVersion = request.apiKey().responseHeaderVersion(version);
        ResponseHeaderData header = new ResponseHeaderData().setCorrelationId(request.correlationId());
        ObjectSerializationCache cache = new ObjectSerializationCache();
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        header.addSize(size, cache, headerVersion);
        body.addSize(size, cache, version);
        return new Sized(body, version, header, headerVersion, cache, size.totalSize(), size.sizeExcludingZeroCopy());
    }

    private static ByteBuf encode(ByteBufAllocator allocator, Sized sized) {
        ByteBuf own = allocator.directBuffer(PREFIX + sized.ownBytes());
        boolean splices = sized.bytes() > sized.ownBytes();
        CompositeByteBuf frame = splices ? allocator.compositeDirectBuffer(Integer.MAX_VALUE) : null;
        ResponseEncoder encoder = new ResponseEncoder(own, frame);
        try {
            own.writeInt(sized.bytes());
            sized.header().write(encoder, sized.cache(), sized.headerVersion());
            sized.body().write(encoder, sized.cache(), sized.version());
            encoder.spliceOwnBytes();
        } catch (RuntimeException e) {
            if (frame != null) {
                frame.release();
            }
            own.release();
            throw e;
        }
        if (frame == null) {
            return own;
        }
        own.release();
        return frame;
    }

    private void spliceOwnBytes() {
        if (spliced != null && own.writerIndex() > splicedUpTo) {
            spliced.addComponent(true, own.retainedSlice(splicedUpTo, own.writerIndex() - splicedUpTo));
            splicedUpTo = own.writerIndex();
        }
    }

    @Override
    public void writeRecords(BaseRecords records) {
        if (!(records instanceof LogRecords log) || spliced == null) {
            if (records.sizeInBytes() == 0) {
                return;
            }
            throw new IllegalArgumentException("records of " + records.getClass());
        }
        spliceOwnBytes();
        for (ByteBuf piece : log.pieces()) {
            spliced.addComponent(true, piece.retain());
        }
    }

    @Override
    public void writeByte(byte value) {
        own.writeByte(value);
    }

    @Override
    public void writeShort(short value) {
        own.writeShort(value);
    }

    @Override
    public void writeInt(int value) {
        own.writeInt(value);
    }

    @Override
    public void writeLong(long value) {
        own.writeLong(value);
    }

    @Override
    public void writeDouble(double value) {
        own.writeDouble(value);
    }

    @Override
    public void writeByteArray(byte[] bytes) {
        own.writeBytes(bytes);
    }

    @Override
    public void writeUnsignedVarint(int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            own.writeByte((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        own.writeByte(rest);
    }

    @Override
    public void writeByteBuffer(ByteBuffer bytes) {
        own.writeBytes(bytes.duplicate());
    }

    @Override
    public void writeVarint(int value) {
        writeUnsignedVarint((value << 1) ^ (value >> 31));
    }

    @Override
    public void writeVarlong(long value) {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7fL) != 0) {
            own.writeByte((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        own.writeByte((int) rest);
    }
}
