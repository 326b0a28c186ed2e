package io.sluice.bookie.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal of a ledger that defers the disk's sync and one that does not, and machines that crash. */
class DeferredSyncTest {
    private static final int BLOCK = JournalFormat.WRITE_ALIGNMENT;
    private static final int FILE_BYTES = 1 << 20;
    private static final int DEFERS = 7;
    private static final int WAITS = 9;
    private static final int DELETED = 5;
    private static final int LEDGERS = 10;

    @TempDir
    private Path folder;

    private final DeferredSync sync = new DeferredSync();

    /** One journal file, as BookKeeper's journal writes it. */
    private final class Journal {
        final Random random;
        final VolatileFile file;
        final UnsyncedWrites unsynced;
        final OverwrittenChannel channel;
        private final ByteBuffer buffer =
                ByteBuffer.allocateDirect(17 * BLOCK).alignedSlice(BLOCK).limit(16 * BLOCK);
        final int[] pushed = new int[LEDGERS];
        int[] acknowledged = new int[LEDGERS];
        int forced;
        private boolean full;

        Journal(long seed) throws IOException {
            random = new Random(seed);
            file = new VolatileFile(old());
            unsynced = new UnsyncedWrites(file::plain);
            channel = new OverwrittenChannel(
                    file.through(), new RecordHeads(sync), unsynced, new WrittenFile(), () -> {});
            channel.write(header());
        }

        /** Records of a ledger that is gone, and rubbish. */
        private byte[] old() {
            ByteBuffer old = ByteBuffer.allocate(FILE_BYTES);
            if (random.nextBoolean()) {
                for (int entry = 0; old.remaining() > 8_000; entry++) {
                    record(old, DELETED, entry, entry - 1, random.nextInt(7_000));
                }
            }
            return old.array();
        }

        private ByteBuffer header() {
            ByteBuffer header = ByteBuffer.allocate(JournalFormat.FILE_HEADER);
            header.put("BKLG".getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                    .putInt(6);
            return header.rewind();
        }

        /** Several records, padding, acknowledged together; a crash may come in between. */
        void group() throws IOException {
            int records = 1 + random.nextInt(4);
            int before = forced;
            for (int i = 0; i < records; i++) {
                int ledger = random.nextInt(4) == 0 ? WAITS : DEFERS;
                before = ledger == WAITS ? pushed[DEFERS] : before;
                int entry = pushed[ledger]++;
                int confirmed = ledger == WAITS ? acknowledged[WAITS] : forced;
                ByteBuffer record = ByteBuffer.allocate(40_100);
                record(record, ledger, entry, confirmed - 1, random.nextInt(3) == 0 ? 40_000 : random.nextInt(500));
                put(record.flip());
            }
            pad();
            if (full) {
                return;
            }
            acknowledged = pushed.clone();
            // what waits has taken with it what was written before
            forced = Math.max(forced, before);
        }

        private void put(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                int part = Math.min(bytes.remaining(), buffer.remaining());
                buffer.put(bytes.slice(bytes.position(), part));
                bytes.position(bytes.position() + part);
                if (!buffer.hasRemaining()) {
                    write();
                }
            }
        }

        private void pad() throws IOException {
            int over = buffer.position() % BLOCK;
            if (over > 0) {
                int padding = BLOCK - over;
                padding = padding < 8 ? BLOCK - (8 - padding) : padding - 8;
                put(ByteBuffer.allocate(8 + padding)
                        .putInt(JournalFormat.PADDING)
                        .putInt(padding)
                        .rewind());
            }
            write();
        }

        private void write() throws IOException {
            buffer.flip();
            full |= channel.position() + buffer.limit() > FILE_BYTES - 20 * BLOCK || random.nextInt(60) == 0;
            if (!full && buffer.hasRemaining()) {
                channel.write(buffer);
            }
            buffer.clear().limit(16 * BLOCK);
        }

        void fence(long ledger) throws IOException {
            put(ByteBuffer.allocate(20)
                    .putInt(JournalFormat.LEAST_RECORD)
                    .putLong(ledger)
                    .putLong(JournalFormat.FENCE)
                    .rewind());
            pad();
        }

        void force() throws IOException {
            int upTo = acknowledged[DEFERS];
            unsynced.force();
            forced = upTo;
        }

        private void record(ByteBuffer into, long ledger, long entry, long confirmed, int bytes) {
            byte[] frame = new byte[bytes];
            random.nextBytes(frame);
            ByteBuffer head = ByteBuffer.allocate(32)
                    .putLong(ledger)
                    .putLong(entry)
                    .putLong(confirmed)
                    .putLong(bytes);
            var checksum = new CRC32C();
            checksum.update(head.array());
            checksum.update(frame);
            into.putInt(36 + bytes)
                    .put(head.array())
                    .putInt((int) checksum.getValue())
                    .put(frame);
        }
    }

    @Test
    void aCrashTakesOnlyTheEndOfWhatDidNotWait() throws IOException {
        sync.begin(DEFERS);
        int lost = 0;
        for (long seed = 1; seed <= 400; seed++) {
            Journal journal = new Journal(seed);
            while (!journal.full && journal.random.nextInt(40) > 0) {
                journal.group();
                if (journal.random.nextInt(6) == 0) {
                    journal.force();
                }
            }
            int[] found = foundAfter(journal, "seed " + seed);
            assertThat(found[WAITS]).as("seed %d", seed).isGreaterThanOrEqualTo(journal.acknowledged[WAITS]);
            assertThat(found[DEFERS]).as("seed %d", seed).isGreaterThanOrEqualTo(journal.forced);
            lost += found[DEFERS] < journal.acknowledged[DEFERS] ? 1 : 0;
        }
        // or else nothing was shown
        assertThat(lost).isGreaterThan(50);
    }

    @Test
    void nothingIsLostWhereNobodyDefers() throws IOException {
        for (long seed = 1; seed <= 100; seed++) {
            Journal journal = new Journal(seed);
            while (!journal.full && journal.random.nextInt(40) > 0) {
                journal.group();
                assertThat(journal.unsynced.any()).isFalse();
            }
            int[] found = foundAfter(journal, "seed " + seed);
            assertThat(found[DEFERS]).as("seed %d", seed).isGreaterThanOrEqualTo(journal.acknowledged[DEFERS]);
        }
    }

    @Test
    void aFencedLedgerWaitsAgain() throws IOException {
        sync.begin(DEFERS);
        sync.end(DEFERS);
        Journal journal = new Journal(1);
        for (int i = 0; i < 5 && !journal.full; i++) {
            journal.group();
            assertThat(journal.unsynced.any()).isFalse();
        }
    }

    @Test
    void aFenceIsOnTheDiskWhenItIsAnswered() throws IOException {
        sync.begin(DEFERS);
        Journal journal = new Journal(1);
        for (int ledger : new int[] {WAITS, DEFERS}) {
            journal.fence(ledger);
            assertThat(journal.unsynced.any()).isFalse();
        }
    }

    /** Number of entries of each ledger, as a start sees them once it has cut off what is half-written. */
    private int[] foundAfter(Journal journal, String which) throws IOException {
        Path path = folder.resolve("1.txn");
        Files.write(path, journal.file.crash(journal.random));
        JournalCheck.Ledgers ledgers = ledger -> ledger == DEFERS || ledger == WAITS ? JournalCheck.Ledgers.OPEN : null;
        JournalCheck.Result start;
        try (JournalWalk walk = JournalWalk.beforeStart(folder, folder.resolve("kept"))) {
            start = JournalCheck.beforeStart(walk, ledgers);
        }
        check(start, which);
        JournalCheck.Place cut = start.cut();
        if (cut != null) {
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
                file.truncate(cut.at());
            }
        }
        int[] found = new int[LEDGERS];
        try (Arena arena = Arena.ofConfined()) {
            JournalCheck.Result whole = JournalCheck.ofEverything(
                    folder, folder.resolve("kept"), ledgers, arena, (ledger, entry, frame) -> found[(int) ledger]++);
            assertThat(whole.damages()).as(which).isEmpty();
            check(whole, which);
        }
        return found;
    }

    /** What does not look like damage to a start, nor to who verifies the folder. */
    private static void check(JournalCheck.Result result, String which) {
        JournalCheck.Place cut = result.cut();
        assertThat(result.missing()).as(which).isEmpty();
        assertThat(result.cutIsFlip()).as(which).isFalse();
        assertThat(result.damages()).as(which).allSatisfy(damage -> {
            assertThat(cut == null ? -1 : cut.at()).isEqualTo(damage.at());
        });
    }

    @Test
    void writesAreForcedBeforeTheyAreTooMany() throws IOException {
        var unsynced = new UnsyncedWrites(new VolatileFile(new byte[BLOCK])::plain);
        unsynced.written(UnsyncedWrites.MOST);
        assertThat(unsynced.any()).isTrue();
        unsynced.written(UnsyncedWrites.MOST + 1);
        assertThat(unsynced.any()).isFalse();
    }

    @Test
    void nothingGoesOnAfterAForceThatFailed() throws IOException {
        FileChannel closed =
                FileChannel.open(folder.resolve("closed"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        closed.close();
        var unsynced = new UnsyncedWrites(() -> closed);
        unsynced.written(1);
        assertThatThrownBy(unsynced::force).isInstanceOf(IOException.class);
        assertThatThrownBy(unsynced::force).hasMessageContaining("cannot be put on the disk");
        assertThatThrownBy(() -> unsynced.written(2)).hasMessageContaining("cannot be put on the disk");
    }

    @Test
    void theNextFileBeginsOnceTheOneBeforeIsOnTheDisk() throws IOException {
        var first = new UnsyncedWrites(new VolatileFile(new byte[BLOCK])::plain);
        sync.next(first);
        first.written(1);
        sync.next(new UnsyncedWrites(new VolatileFile(new byte[BLOCK])::plain));
        assertThat(first.any()).isFalse();
    }
}
