package io.sluice.tiering.objectstore.filesystem;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Files opened past the system's page cache; all that is moved then begins and ends at multiples of a block. */
final class DirectFiles {
    /** Stands for a block size where it cannot be done. */
    static final int NONE = 0;

    static final int LARGEST_BLOCK = 1 << 20;

    private DirectFiles() {}

    /**
     * Block size of the file system of {@code directory}, or {@link #NONE}.
     *
     * @param directory that exists and can be written; what its file system can do is tried there
     */
    static int blockSize(Path directory) throws IOException {
        long size = Files.getFileStore(directory).getBlockSize();
        boolean usable = size > 0 && size <= LARGEST_BLOCK && Long.bitCount(size) == 1;
        return usable && worksIn(directory) ? (int) size : NONE;
    }

    private static boolean worksIn(Path directory) throws IOException {
        Path probe = Files.createTempFile(directory, ".probe", null);
        try (FileChannel channel = open(probe, StandardOpenOption.WRITE)) {
            return channel != null;
        } finally {
            Files.delete(probe);
        }
    }

    /** Null if it cannot be done for this file, which may be a link to another file system, or not at all. */
    static @Nullable FileChannel open(Path file, OpenOption... options) {
        OpenOption[] direct = Arrays.copyOf(options, options.length + 1);
        direct[options.length] = ExtendedOpenOption.DIRECT;
        try {
            return FileChannel.open(file, direct);
        } catch (IOException | UnsupportedOperationException no) {
            return null;
        }
    }
}
