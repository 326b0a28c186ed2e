package io.sluice.bookie.journal;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file in the page cache. Slices live as long as the arena. */
final class MappedBytes implements FileBytes {
    private static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemorySegment bytes;

    MappedBytes(Path path, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        }
    }

    @Override
    public long size() {
        return bytes.byteSize();
    }

    @Override
    public int intAt(long at) {
        return bytes.get(INT, at);
    }

    @Override
    public long longAt(long at) {
        return bytes.get(LONG, at);
    }

    @Override
    public ByteBuffer slice(long at, int length) {
        return bytes.asSlice(at, length).asByteBuffer();
    }

    /** The arena's owner does that. */
    @Override
    public void close() {}
}
