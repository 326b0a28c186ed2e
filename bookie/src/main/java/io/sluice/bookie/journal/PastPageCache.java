package io.sluice.bookie.journal;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;

/** Opens files whose bytes do not pass through the system's page cache, where their file system can do that. */
final class PastPageCache {
    private PastPageCache() {}

    /**
     * For reads or writes that begin and end, in the file and in memory, at multiples of {@code alignment}. A read may end
     * where the file does.
     */
    static FileChannel open(Path file, int alignment, OpenOption... options) throws IOException {
        long block = Files.getFileStore(file.toAbsolutePath().getParent()).getBlockSize();
        if (block > 0 && alignment % block == 0) {
            try {
                return direct(file, options);
            } catch (IOException | UnsupportedOperationException no) {
                // as with a folder in memory: whatever else is wrong is found below
            }
        }
        return FileChannel.open(file, options);
    }

    private static FileChannel direct(Path file, OpenOption[] options) throws IOException {
        OpenOption[] direct = Arrays.copyOf(options, options.length + 1);
        direct[options.length] = ExtendedOpenOption.DIRECT;
        return FileChannel.open(file, direct);
    }

    /**
     * Fills the buffer, or as much of it as the file has from there on.
     *
     * @param from a multiple of the alignment, like the buffer's begin and what remains in it
     * @return bytes read
     */
    static int read(FileChannel channel, ByteBuffer into, long from) throws IOException {
        int begin = into.position();
        int read = 0;
        // what follows the file's last bytes is not asked for: it would not begin at a multiple of the alignment
        while (into.hasRemaining() && from + read < channel.size()) {
            if (channel.read(into, from + read) < 0) {
                break;
            }
            read = into.position() - begin;
        }
        return read;
    }
}
