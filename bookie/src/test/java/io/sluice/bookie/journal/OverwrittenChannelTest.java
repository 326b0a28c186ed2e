package io.sluice.bookie.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverwrittenChannelTest {
    private static final int BLOCK = JournalFormat.WRITE_ALIGNMENT;
    private static final byte OLD = 0x55;
    private static final byte NEW = 0x66;

    @TempDir
    private Path folder;

    private final WrittenFile written = new WrittenFile();
    private Path path;

    @BeforeEach
    void oldFile() throws IOException {
        path = folder.resolve("1.txn");
        byte[] old = new byte[8 * BLOCK];
        Arrays.fill(old, OLD);
        Files.write(path, old);
    }

    private OverwrittenChannel open(int alignment, Runnable closed) throws IOException {
        FileChannel file = PastPageCache.open(path, alignment, StandardOpenOption.WRITE, StandardOpenOption.DSYNC);
        var unsynced = new UnsyncedWrites(() -> PastPageCache.open(path, alignment, StandardOpenOption.WRITE));
        return new OverwrittenChannel(file, new RecordHeads(new DeferredSync()), unsynced, written, closed);
    }

    private static ByteBuffer header() {
        return ByteBuffer.wrap(new byte[JournalFormat.FILE_HEADER]);
    }

    private static ByteBuffer blocks(int count) {
        ByteBuffer blocks = ByteBuffer.allocateDirect((count + 1) * BLOCK).alignedSlice(BLOCK);
        blocks.limit(count * BLOCK);
        while (blocks.hasRemaining()) {
            blocks.put(NEW);
        }
        return blocks.flip();
    }

    @Test
    void recordsBeginAtTheSecondBlock() throws IOException {
        try (var channel = open(BLOCK, () -> {})) {
            assertThat(channel.write(header())).isEqualTo(JournalFormat.FILE_HEADER);
            assertThat(channel.position()).isEqualTo(BLOCK);
            assertThat(written.end()).isEqualTo(BLOCK);
        }
        ByteBuffer written = ByteBuffer.wrap(Files.readAllBytes(path)).position(JournalFormat.FILE_HEADER);
        assertThat(written.getInt()).isEqualTo(JournalFormat.PADDING);
        int padding = written.getInt();
        assertThat(written.position() + padding).isEqualTo(BLOCK);
        assertThat(written.getInt(BLOCK)).isZero();
    }

    @Test
    void whatTheFileHeldBeforeIsBehindTheEnd() throws IOException {
        checkEnds(BLOCK);
    }

    @Test
    void soItIsWhereBlocksAreNotTheFileSystems() throws IOException {
        checkEnds(BLOCK / 4);
    }

    private void checkEnds(int alignment) throws IOException {
        try (var channel = open(alignment, () -> {})) {
            channel.write(header());
            channel.write(blocks(1));
            channel.write(blocks(2));
            assertThat(written.end()).isEqualTo(4 * BLOCK);
            byte[] now = Files.readAllBytes(path);
            assertThat(Arrays.copyOfRange(now, BLOCK, 4 * BLOCK)).containsOnly(NEW);
            assertThat(Arrays.copyOfRange(now, 4 * BLOCK, 5 * BLOCK)).containsOnly((byte) 0);
            assertThat(Arrays.copyOfRange(now, 5 * BLOCK, 8 * BLOCK)).containsOnly(OLD);
        }
    }

    @Test
    void preallocatingTouchesNothingThatIsThere() throws IOException {
        try (var channel = open(BLOCK, () -> {})) {
            channel.write(header());
            assertThat(channel.write(blocks(1), 7 * BLOCK)).isEqualTo(BLOCK);
            assertThat(channel.write(blocks(1), 15 * BLOCK)).isEqualTo(BLOCK);
        }
        byte[] now = Files.readAllBytes(path);
        assertThat(Arrays.copyOfRange(now, 7 * BLOCK, 8 * BLOCK)).containsOnly(OLD);
        assertThat(now).hasSize(16 * BLOCK);
    }

    @Test
    void aFileIsNotWrittenWithoutItsHeader() throws IOException {
        try (var channel = open(BLOCK, () -> {})) {
            assertThatThrownBy(() -> channel.write(blocks(1))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void closingIsTold() throws IOException {
        var closed = new AtomicBoolean();
        open(BLOCK, () -> closed.set(true)).close();
        assertThat(closed).isTrue();
    }
}
