package io.sluice.kafka.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a byte stream into frames ({@code length i32 | bytes}) without moving bytes: a frame is a slice of what was read
 * from the socket, or a composite of several reads. Memory grows only with what has arrived, never with a length that was
 * merely announced. Not thread-safe: one per connection, on its loop.
 */
public final class FrameAssembler {
    private static final int PREFIX = 4;
    /** Bytes of a buffer that may be kept for whatever little it holds. */
    private static final int SMALL = 2048;

    private final ByteBufAllocator allocator;
    private int maxFrameBytes;
    private final ArrayDeque<ByteBuf> chunks = new ArrayDeque<>();
    private long buffered;
    private long held;

    public FrameAssembler(ByteBufAllocator allocator, int maxFrameBytes) {
        this.allocator = allocator;
        this.maxFrameBytes = maxFrameBytes;
    }

    /** Thrown for a length that cannot be; the stream is beyond repair. */
    public static final class BadFrame extends Exception {
        BadFrame(String message) {
            super(message, null, false, false);
        }
    }

    /** Largest frame from now on. */
    public void setLargest(int bytes) {
        maxFrameBytes = bytes;
    }

    /** Takes over {@code chunk}, the next bytes of the stream. */
    public void add(ByteBuf chunk) {
        int bytes = chunk.readableBytes();
        buffered += bytes;
        ByteBuf tail = chunks.peekLast();
        // A peer that sends byte by byte must not pin a receive buffer per byte: fill the last one up first.
        if (bytes == 0 || (tail != null && tail.isWritable(bytes))) {
            if (tail != null) {
                tail.writeBytes(chunk);
            }
            chunk.release();
        } else {
            chunks.add(chunk);
            held += chunk.capacity();
        }
    }

    /** Lets go of a receive buffer of which only a small part is used: what is left over of a stream of frames is. */
    public void trim() {
        ByteBuf tail = chunks.peekLast();
        if (tail == null || tail.capacity() <= SMALL || tail.readableBytes() > tail.capacity() / 2) {
            return;
        }
        ByteBuf copy = allocator.directBuffer(Math.max(SMALL / 2, tail.readableBytes()));
        copy.writeBytes(tail);
        chunks.removeLast();
        held += copy.capacity() - tail.capacity();
        tail.release();
        chunks.add(copy);
    }

    /** Memory that {@link #buffered} takes. */
    public long held() {
        return held;
    }

    /** Bytes that the frame at the head still lacks; 0 if there is none, or if it is whole. */
    public long missing() {
        if (buffered == 0) {
            return 0;
        }
        return buffered < PREFIX ? PREFIX - buffered : Math.max(0, PREFIX + (long) peekLength() - buffered);
    }

    /** Bytes held that were not handed out yet. */
    public long buffered() {
        return buffered;
    }

    /** The next whole frame without its length, owned by the caller; null until all of it has arrived. */
    public @Nullable ByteBuf next() throws BadFrame {
        if (buffered < PREFIX) {
            return null;
        }
        int length = peekLength();
        if (length < 0 || length > maxFrameBytes) {
            throw new BadFrame("request of " + length + " bytes (limit " + maxFrameBytes + ")");
        }
        if (buffered < PREFIX + (long) length) {
            return null;
        }
        skip(PREFIX);
        buffered -= PREFIX + (long) length;
        return take(length);
    }

    private int peekLength() {
        ByteBuf head = chunks.getFirst();
        if (head.readableBytes() >= PREFIX) {
            return head.getInt(head.readerIndex());
        }
        int length = 0;
        int seen = 0;
        for (ByteBuf chunk : chunks) {
            for (int i = chunk.readerIndex(); i < chunk.writerIndex() && seen < PREFIX; i++, seen++) {
                length = (length << 8) | (chunk.getByte(i) & 0xff);
            }
        }
        return length;
    }

    private void skip(int bytes) {
        for (int left = bytes; left > 0; ) {
            ByteBuf head = chunks.getFirst();
            int step = Math.min(left, head.readableBytes());
            head.skipBytes(step);
            left -= step;
            dropIfEmpty(head);
        }
    }

    private ByteBuf take(int length) {
        if (length == 0) {
            return allocator.buffer(0);
        }
        ByteBuf head = chunks.getFirst();
        if (head.readableBytes() >= length) {
            return slice(head, length);
        }
        CompositeByteBuf frame = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
        for (int left = length; left > 0; ) {
            ByteBuf next = chunks.getFirst();
            int step = Math.min(left, next.readableBytes());
            frame.addComponent(true, slice(next, step));
            left -= step;
        }
        return frame;
    }

    /** Passes ownership of a chunk that is used up, else shares it. */
    private ByteBuf slice(ByteBuf head, int length) {
        ByteBuf slice = head.readRetainedSlice(length);
        dropIfEmpty(head);
        return slice;
    }

    private void dropIfEmpty(ByteBuf head) {
        if (!head.isReadable()) {
            held -= head.capacity();
            chunks.removeFirst().release();
        }
    }

    /** Releases everything; the connection is gone. */
    public void close() {
        buffered = 0;
        held = 0;
        for (ByteBuf chunk = chunks.poll(); chunk != null; chunk = chunks.poll()) {
            chunk.release();
        }
    }
}
