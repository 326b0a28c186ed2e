package io.sluice.store.state;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Lays records over frames like lines over pages; a record that does not fit goes on in the next frame.
 *
 * <p>The CRC stands at a record's head but is known at its end, so a frame may leave only when {@link #write} has returned.
 */
public final class FrameBuilder {
    /** A fragment shorter than this is not worth its header; also keeps the CRC and type in the record's first one. */
    private static final int LEAST_FRAGMENT = 32;

    private final Frames frames;
    private final int frameBytes;
    private final CRC32C crc = new CRC32C();
    private final ByteBuf head = Unpooled.buffer(64);
    private @Nullable ByteBuf open;

    /** @param frameBytes most bytes a frame takes, its header included */
    public FrameBuilder(Frames frames, int frameBytes) {
        if (frameBytes < LogFormat.FRAME_HEADER + LogFormat.FRAGMENT_HEADER + LEAST_FRAGMENT) {
            throw new IllegalArgumentException("a frame of " + frameBytes + " bytes holds no record");
        }
        this.frames = frames;
        this.frameBytes = frameBytes;
    }

    /** Where frames come from. */
    public interface Frames {
        /** An empty buffer with room for a frame; the one before is complete. */
        ByteBuf next();
    }

    /** Writes one record; its payload is copied, the indices of the caller's buffers stay as they are. */
    public void write(LogOperation operation) {
        head.clear().writeInt(0);
        OperationCodec.encodeHead(operation, head);
        ByteBuf payload = OperationCodec.payload(operation);
        int headBytes = head.readableBytes();
        int total = Math.addExact(headBytes, payload.readableBytes());
        crc.reset();

        ByteBuf frame = frameFor(total);
        ByteBuf crcFrame = frame;
        int crcAt = frame.writerIndex() + LogFormat.FRAGMENT_HEADER;
        int done = 0;
        while (done < total) {
            if (done > 0) {
                frame = next();
            }
            int length = Math.min(total - done, room(frame));
            int flags = (done == 0 ? LogFormat.FIRST : 0) | (done + length == total ? LogFormat.LAST : 0);
            frame.writeByte(flags).writeInt(length);
            int start = frame.writerIndex();
            int fromHead = Math.min(length, Math.max(0, headBytes - done));
            if (fromHead > 0) {
                frame.writeBytes(head, done, fromHead);
            }
            if (length > fromHead) {
                int payloadOffset = done + fromHead - headBytes;
                frame.writeBytes(payload, payload.readerIndex() + payloadOffset, length - fromHead);
            }
            int skip = done == 0 ? LogFormat.CRC_BYTES : 0;
            ByteBuffer written = frame.internalNioBuffer(start + skip, length - skip);
            crc.update(written);
            done += length;
        }
        crcFrame.setInt(crcAt, (int) crc.getValue());
    }

    /** The open frame is complete: the next record starts another. */
    public void seal() {
        open = null;
    }

    private ByteBuf frameFor(int total) {
        ByteBuf frame = open;
        if (frame == null || room(frame) < Math.min(total, LEAST_FRAGMENT)) {
            return next();
        }
        return frame;
    }

    private int room(ByteBuf frame) {
        return frameBytes - frame.writerIndex() - LogFormat.FRAGMENT_HEADER;
    }

    private ByteBuf next() {
        ByteBuf frame = frames.next();
        frame.writeShort(LogFormat.MAGIC).writeByte(LogFormat.VERSION);
        open = frame;
        return frame;
    }
}
