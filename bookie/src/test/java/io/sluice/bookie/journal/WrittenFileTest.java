package io.sluice.bookie.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records are where the journal has written them, for readers that look in the file and for those that do not. */
class WrittenFileTest {
    private static final int BLOCK = JournalFormat.WRITE_ALIGNMENT;
    private static final int LEDGERS = 3;
    private static final int LARGEST = 30_000;

    @TempDir
    private Path folder;

    /** Where an entry is, behind its length. */
    private record Place(long ledger, long entry, long at, int length) {}

    private final List<Place> places = new ArrayList<>();
    private final long[] entries = new long[LEDGERS];
    private FileChannel writing;

    @BeforeEach
    void open() throws IOException {
        Path path = folder.resolve("1.txn");
        var file = new OverwritingJournal().open(path.toFile(), new ServerConfiguration());
        assertThat(file.fileExists(path.toFile())).isFalse();
        assertThat(path.toFile().createNewFile()).isTrue();
        writing = file.getFileChannel();
        writing.write(ByteBuffer.allocate(JournalFormat.FILE_HEADER));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void recordsAreKnownWithoutTheFile(long seed) throws IOException {
        write(new Random(seed), 300);
        try (var file = FileChannel.open(folder.resolve("1.txn"), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate((int) writing.position() - BLOCK), BLOCK);
        }
        try (EntryIndex index = index()) {
            index.scanJournals();
            check(index);
        }
        writing.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {6, 7, 8, 9, 10})
    void aReaderThatComesLaterOrTakesTurnsFindsThemToo(long seed) throws IOException {
        Random random = new Random(seed);
        try (EntryIndex one = index();
                EntryIndex another = index()) {
            for (int i = 0; i < 10; i++) {
                write(random, 1 + random.nextInt(60));
                (random.nextInt(3) == 0 ? another : one).scanJournals();
            }
            if (random.nextBoolean()) {
                writing.close();
            }
            one.scanJournals();
            check(one);
            another.scanJournals();
            check(another);
        }
        writing.close();
    }

    @Test
    void ofTooManyNoneIsKept() {
        WrittenFile file = new WrittenFile();
        FileRecords many = records(WrittenFile.MOST, 1_000);
        file.written(20 * BLOCK, many);
        file.written(21 * BLOCK, records(1, 20 * BLOCK));
        assertThat(file.take()).isNull();
        file.written(22 * BLOCK, records(2, 21 * BLOCK));
        WrittenFile.Part part = Objects.requireNonNull(file.take());
        assertThat(part.begin()).isEqualTo(20 * BLOCK + 20);
        assertThat(part.records().count()).isEqualTo(2);
        assertThat(file.take()).isNull();
    }

    private static FileRecords records(int count, long from) {
        FileRecords records = new FileRecords();
        for (int i = 0; i < count; i++) {
            records.add(from, JournalFormat.LEAST_RECORD, 1, i, -1, true);
        }
        records.end(from + 20, false);
        return records;
    }

    private EntryIndex index() {
        return new EntryIndex(
                List.of(folder), new FoundRecords(), (file, ledger, entry, lastConfirmed, at, length) -> true);
    }

    /** Records of all kinds in groups that are padded, in writes of whole blocks that end anywhere in them. */
    private void write(Random random, int records) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(records * (LARGEST + 2 * BLOCK));
        long base = writing.position();
        for (int i = 0; i < records; i++) {
            if (random.nextInt(8) == 0) {
                all.putInt(JournalFormat.LEAST_RECORD).putLong(0).putLong(JournalFormat.FENCE);
            } else {
                putEntry(all, base, random);
            }
            if (random.nextInt(4) == 0 || i == records - 1) {
                pad(all);
            }
        }
        all.flip();
        while (all.hasRemaining()) {
            int bytes = Math.min(all.remaining(), BLOCK * (1 + random.nextInt(16)));
            ByteBuffer blocks = ByteBuffer.allocateDirect(bytes + BLOCK)
                    .alignedSlice(BLOCK)
                    .limit(bytes)
                    .put(all.slice(all.position(), bytes))
                    .flip();
            writing.write(blocks);
            all.position(all.position() + bytes);
        }
    }

    private void putEntry(ByteBuffer all, long base, Random random) {
        int ledger = random.nextInt(LEDGERS);
        long entry = entries[ledger]++;
        byte[] content = new byte[random.nextBoolean() ? random.nextInt(200) : random.nextInt(LARGEST)];
        random.nextBytes(content);
        int length = JournalFormat.LAST_CONFIRMED_AT + Long.BYTES + content.length;
        all.putInt(length);
        places.add(new Place(ledger, entry, base + all.position(), length));
        all.putLong(ledger).putLong(entry).putLong(entry - 1).put(content);
    }

    private static void pad(ByteBuffer all) {
        int behind = all.position() + 2 * Integer.BYTES;
        int bytes = Math.ceilDiv(behind, BLOCK) * BLOCK - behind;
        all.putInt(JournalFormat.PADDING).putInt(bytes).put(new byte[bytes]);
    }

    private void check(EntryIndex index) throws IOException {
        for (Place place : places) {
            assertThat(index.locate(place.ledger, place.entry, place.entry))
                    .singleElement()
                    .satisfies(found -> {
                        assertThat(found.at()).isEqualTo(place.at);
                        assertThat(found.length()).isEqualTo(place.length);
                    });
        }
    }
}
