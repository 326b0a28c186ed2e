package io.sluice.bookie.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.bookkeeper.bookie.BookieFileChannel;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read past the page cache is what is in the files, however it lies there. */
class JournalReadsTest {
    private static final PooledByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;
    private static final int LEDGERS = 3;
    private static final int LARGEST = 3 << 20;

    @TempDir
    Path folder;

    private final Random random = new Random(4711);
    private final List<List<byte[]>> written = Stream.generate(() -> (List<byte[]>) new ArrayList<byte[]>())
            .limit(LEDGERS)
            .toList();
    private Path journal;

    @BeforeEach
    void createFolder() throws IOException {
        journal = Files.createDirectory(folder.resolve("journal"));
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 5_000, 150_000, LARGEST})
    void entriesAreWhatWasAddedWhetherOthersLieBetweenThemOrNot(int largest) throws IOException {
        for (int file = 1; file <= 3; file++) {
            append(file, 2_000_000 / largest + 20, largest);
        }
        try (JournalWalk walk = JournalWalk.beforeStart(journal, folder.resolve("none"))) {
            FoundRecords found = JournalCheck.beforeStart(walk, ledger -> JournalCheck.Ledgers.OPEN)
                    .records();
            try (EntryIndex index = index(found)) {
                check(index);
                assertThat(Files.list(journal).map(found::take).toList()).containsOnlyNulls();
            }
        }
    }

    @Test
    void whatIsFoundLaterIsScanned() throws IOException {
        append(1, 30, 5_000);
        try (JournalWalk walk = JournalWalk.beforeStart(journal, folder.resolve("none"))) {
            FoundRecords found = JournalCheck.beforeStart(walk, ledger -> JournalCheck.Ledgers.OPEN)
                    .records();
            append(1, 10, 5_000);
            append(2, 10, 5_000);
            try (EntryIndex index = index(found)) {
                check(index);
            }
        }
    }

    @Test
    void entriesThatAreNotThereEndTheAnswer() throws IOException {
        append(1, 30, 5_000);
        try (EntryIndex index = index(new FoundRecords())) {
            int there = written.getFirst().size();
            assertThat(index.locate(0, there - 1, there + 5)).hasSize(1);
            assertThat(index.locate(LEDGERS, 0, 0)).isEmpty();
            assertThat(index.locate(0, -1, -1)).isEmpty();
        }
    }

    @Test
    void aFileThatLostItsEndIsSaidToBeShort() throws IOException {
        append(1, 5, 150_000);
        try (EntryIndex index = index(new FoundRecords())) {
            Path file = JournalFormat.files(journal).getFirst();
            byte[] all = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(all, all.length / 2));
            assertThatThrownBy(() -> {
                        for (int each = 0; each < LEDGERS; each++) {
                            release(StoredRecord.read(
                                    index.locate(each, 0, written.get(each).size() - 1L), ALLOCATOR));
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("ends before");
        }
    }

    @Test
    void aFileThatWasLetGoIsNotOpenedAgain() throws IOException {
        append(1, 30, 5_000);
        EntryIndex index = index(new FoundRecords());
        List<StoredRecord> records = index.locate(0, 0, 0);
        index.close();
        assertThatThrownBy(() -> release(StoredRecord.read(records, ALLOCATOR)))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> index.locate(0, 0, 0)).hasMessageContaining("has stopped");
    }

    /** The journal's last record, too, which nothing follows yet. */
    @Test
    void aLedgerThatWasCopiedIsReadFromItsCopyWhenTheJournalIsLetGo() throws IOException {
        append(1, 30, 5_000);
        appendWithoutPadding(1, 5_000);
        try (EntryIndex index = index(new FoundRecords())) {
            for (int ledger = 0; ledger < LEDGERS; ledger++) {
                Path copy = folder.resolve(ledger + KeptLedgers.SUFFIX);
                try (FileChannel out = FileChannel.open(copy, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                    index.copyEntries(ledger, out);
                }
                index.scanKept(copy);
                index.scanJournals();
            }
            Path file = JournalFormat.files(journal).getFirst();
            index.close(file);
            Files.delete(file);
            check(index);
        }
    }

    /** BookKeeper makes the journal's next file, an empty one, and only then asks for what to write it with. */
    @Test
    void aFileIsReadThatWasLookedAtBeforeASpareTookItsPlace() throws IOException {
        Files.write(journal.resolve("old.spare"), new byte[8 * JournalFormat.WRITE_ALIGNMENT]);
        File next = journal.resolve("1.txn").toFile();
        try (EntryIndex index = index(new FoundRecords())) {
            BookieFileChannel opened = new OverwritingJournal().open(next, new ServerConfiguration());
            assertThat(opened.fileExists(next)).isFalse();
            assertThat(next.createNewFile()).isTrue();
            index.scanJournals();
            FileChannel writing = opened.getFileChannel();
            index.scanJournals();
            writing.write(ByteBuffer.allocate(JournalFormat.FILE_HEADER));
            index.scanJournals();
            for (int ledger = 0; ledger < LEDGERS; ledger++) {
                writing.write(block(record(ledger, 100)));
            }
            check(index);
            opened.close();
        }
    }

    /** A write as the journal makes it. */
    private static ByteBuffer block(ByteBuffer record) {
        ByteBuffer block = ByteBuffer.allocateDirect(2 * JournalFormat.WRITE_ALIGNMENT)
                .alignedSlice(JournalFormat.WRITE_ALIGNMENT)
                .limit(JournalFormat.WRITE_ALIGNMENT);
        return block.put(record).put(padding(record.limit())).rewind();
    }

    @Test
    void aWindowShowsWhatAMappingShows() throws IOException {
        Path file = folder.resolve("bytes");
        byte[] content = new byte[5_000_001];
        random.nextBytes(content);
        Files.write(file, content);
        try (Arena arena = Arena.ofConfined();
                FileBytes mapped = new MappedBytes(file, arena);
                FileBytes windowed = new WindowedBytes(file)) {
            assertThat(windowed.size()).isEqualTo(content.length);
            long at = 0;
            for (int i = 0; i < 5_000; i++) {
                // steps ahead, as through small and large records, and now and then back
                at = random.nextInt(50) == 0
                        ? random.nextInt(content.length)
                        : at + random.nextInt(random.nextBoolean() ? 200 : 100_000);
                at %= content.length - Long.BYTES;
                assertThat(windowed.intAt(at)).isEqualTo(mapped.intAt(at));
                assertThat(windowed.longAt(at)).isEqualTo(mapped.longAt(at));
                int length = (int) Math.min(random.nextInt(2 << 20), content.length - at);
                if (i % 100 == 0) {
                    assertThat(windowed.slice(at, length)).isEqualTo(mapped.slice(at, length));
                }
            }
            long last = (long) content.length - Integer.BYTES;
            assertThat(windowed.intAt(last)).isEqualTo(mapped.intAt(last));
            assertThatThrownBy(() -> windowed.intAt(last + 1)).isInstanceOf(EOFException.class);
        }
    }

    private EntryIndex index(FoundRecords found) throws IOException {
        var index = new EntryIndex(List.of(journal), found, (file, ledger, entry, lastConfirmed, at, length) -> true);
        index.scanJournals();
        return index;
    }

    /** All of each ledger at once, and single entries. */
    private void check(EntryIndex index) throws IOException {
        for (int ledger = 0; ledger < LEDGERS; ledger++) {
            List<byte[]> expected = written.get(ledger);
            List<StoredRecord> records = index.locate(ledger, 0, expected.size() - 1L);
            List<ByteBuf> read = StoredRecord.read(records, ALLOCATOR);
            try {
                assertThat(read).extracting(ByteBufUtil::getBytes).containsExactlyElementsOf(expected);
            } finally {
                release(read);
            }
            int entry = random.nextInt(expected.size());
            ByteBuf one = StoredRecord.read(index.locate(ledger, entry, entry), ALLOCATOR)
                    .getFirst();
            assertThat(ByteBufUtil.getBytes(one)).isEqualTo(expected.get(entry));
            one.release();
        }
    }

    private static void release(List<ByteBuf> read) {
        read.forEach(ByteBuf::release);
    }

    /** Entries of ledgers by turns, in writes that are padded as the journal does it; behind what is there. */
    private void append(int number, int count, int largest) throws IOException {
        Path file = journal.resolve(Integer.toHexString(number) + ".txn");
        List<ByteBuffer> parts = new ArrayList<>();
        long at = Files.exists(file) ? Files.size(file) : 0;
        if (at == 0) {
            parts.add(JournalFormat.headerBlock(ByteBuffer.allocate(JournalFormat.FILE_HEADER)));
            at = JournalFormat.WRITE_ALIGNMENT;
        }
        for (int i = 0; i < count; i++) {
            ByteBuffer record = record(random.nextInt(LEDGERS), 36 + random.nextInt(largest));
            at += record.remaining();
            parts.add(record);
            if (random.nextInt(3) == 0 || i == count - 1) {
                ByteBuffer padding = padding(at);
                at += padding.remaining();
                parts.add(padding);
            }
        }
        try (var out = Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (ByteBuffer part : parts) {
                out.write(part);
            }
        }
    }

    /** One entry that the file ends with, as while the journal is in the middle of a write. */
    private void appendWithoutPadding(int number, int largest) throws IOException {
        Path file = journal.resolve(Integer.toHexString(number) + ".txn");
        try (var out = Files.newByteChannel(file, StandardOpenOption.APPEND)) {
            out.write(record(random.nextInt(LEDGERS), 36 + random.nextInt(largest)));
        }
    }

    private ByteBuffer record(int ledger, int length) {
        List<byte[]> of = written.get(ledger);
        byte[] content = new byte[length];
        random.nextBytes(content);
        ByteBuffer.wrap(content).putLong(ledger).putLong(of.size()).putLong(of.size() - 1L);
        int digestAt = 32;
        var checksum = new CRC32C();
        checksum.update(content, 0, digestAt);
        checksum.update(content, digestAt + Integer.BYTES, length - digestAt - Integer.BYTES);
        ByteBuffer.wrap(content).putInt(digestAt, (int) checksum.getValue());
        of.add(content);
        return ByteBuffer.allocate(Integer.BYTES + length)
                .putInt(length)
                .put(content)
                .flip();
    }

    private static ByteBuffer padding(long at) {
        long behind = at + 2 * Integer.BYTES;
        int bytes =
                (int) (Math.ceilDiv(behind, JournalFormat.WRITE_ALIGNMENT) * JournalFormat.WRITE_ALIGNMENT - behind);
        return ByteBuffer.allocate(2 * Integer.BYTES + bytes)
                .putInt(JournalFormat.PADDING)
                .putInt(bytes)
                .rewind();
    }
}
