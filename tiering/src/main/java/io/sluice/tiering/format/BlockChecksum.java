package io.sluice.tiering.format;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Computes the checksums of {@link Blocks}, over direct memory and without a copy. For one thread. */
public final class BlockChecksum {
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer scratch = ByteBuffer.allocate(16);

    /** Checksum of the block of {@code length} bytes at {@code index} of {@code bytes}, standing at {@code position}. */
    public int block(long segment, long position, ByteBuf bytes, int index, int length) {
        crc.reset();
        scratch.clear().putLong(segment).putLong(position).flip();
        crc.update(scratch);
        update(bytes, index, length);
        return (int) crc.getValue();
    }

    /** CRC32C of plain bytes. */
    public int bytes(ByteBuf bytes, int index, int length) {
        crc.reset();
        update(bytes, index, length);
        return (int) crc.getValue();
    }

    private void update(ByteBuf bytes, int index, int length) {
        if (bytes.nioBufferCount() == 1) {
            crc.update(bytes.nioBuffer(index, length));
            return;
        }
        for (ByteBuffer part : bytes.nioBuffers(index, length)) {
            crc.update(part);
        }
    }
}
