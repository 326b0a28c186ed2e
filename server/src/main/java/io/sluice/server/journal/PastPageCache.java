package io.sluice.server.journal;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** Opens files to be written without the system's page cache, where their file system can do that. */
final class PastPageCache {
    private PastPageCache() {}

    /**
     * For writes that begin and end, in the file and in memory, at multiples of {@code alignment}.
     *
     * @param options besides {@code WRITE}
     */
    static FileChannel open(Path file, int alignment, OpenOption... options) throws IOException {
        OpenOption[] cached = Arrays.copyOf(options, options.length + 1);
        cached[options.length] = StandardOpenOption.WRITE;
        OpenOption[] direct = Arrays.copyOf(cached, cached.length + 1);
        direct[cached.length] = ExtendedOpenOption.DIRECT;
        long block = Files.getFileStore(file.toAbsolutePath().getParent()).getBlockSize();
        if (block > 0 && alignment % block == 0) {
            try {
                return FileChannel.open(file, direct);
            } catch (IOException | UnsupportedOperationException no) {
                // as with a folder in memory: whatever else is wrong is found below
            }
        }
        return FileChannel.open(file, cached);
    }
}
