package io.sluice.bookie.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bookie.journal.JournalCheck;
import io.sluice.bookie.journal.JournalWalk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepairJournalTailTest {
    private static final int FILE = 1 << 20;

    @TempDir
    private Path journal;

    private final ByteBuffer file = ByteBuffer.allocate(FILE);
    private final Random random = new Random(1);

    @BeforeEach
    void header() {
        file.put("BKLG".getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                .putInt(6)
                .position(512);
    }

    @Test
    void aWholeJournalStaysAsItIs() throws IOException {
        record(7, 0, -1);
        padding();
        key(7);
        record(7, 1, 0);
        assertThat(repaired()).isEqualTo(FILE);
    }

    @Test
    void aTornLastRecordIsCutOffWhereverItIsTorn() throws IOException {
        record(7, 0, -1);
        int last = file.position();
        int end = record(7, 1, 0);
        byte[] whole = file.array().clone();
        for (int cut = last + 1; cut < end; cut += 97) {
            System.arraycopy(whole, 0, file.array(), 0, FILE);
            Arrays.fill(file.array(), cut, end, (byte) 0);
            // Without its length there is no record: replay ends before it, as it does at the end of any journal.
            long expected = cut < last + 4 || Arrays.equals(whole, file.array()) ? FILE : last;
            assertThat(repaired()).as("cut at %d", cut).isEqualTo(expected);
            assertThat(repaired(Files.readAllBytes(path()))).as("again").isEqualTo(expected);
        }
    }

    @Test
    void recordsBehindATornOneThatNobodyWasToldOfAreCutOffWithIt() throws IOException {
        record(7, 0, -1);
        int torn = file.position();
        record(7, 1, 0);
        file.put(torn + 100, (byte) ~file.get(torn + 100));
        record(7, 2, 0);
        assertThat(repaired()).isEqualTo(torn);
    }

    @Test
    void damageInAcknowledgedDataIsSaidAndLeftAlone() throws IOException {
        int damaged = file.position();
        record(7, 0, -1);
        record(7, 1, 0);
        file.put(damaged + 100, (byte) ~file.get(damaged + 100));
        assertThatThrownBy(this::repaired)
                .isInstanceOf(DataFolderException.Damaged.class)
                .hasMessageContaining("damaged at byte " + damaged);
        assertThat(Files.size(path())).isEqualTo(FILE);
    }

    /** A file is begun while the one before it is on its way to the disk. */
    @Test
    void whatFollowsInTheNextFileIsCutOffWithATornRecord() throws IOException {
        record(7, 0, -1);
        int torn = file.position();
        record(7, 1, 0);
        file.put(torn + 100, (byte) ~file.get(torn + 100));
        Files.write(journal.resolve("1.txn"), file.array());
        file.clear().position(512).put(new byte[FILE - 512]).position(512);
        record(7, 2, 0);
        assertThat(repaired()).isEqualTo(512);
        assertThat(Files.size(journal.resolve("1.txn"))).isEqualTo(torn);
    }

    @Test
    void aHoleInAnOldFileIsSaid() throws IOException {
        record(7, 0, -1);
        int damaged = file.position();
        record(7, 1, 0);
        record(7, 2, 0);
        Arrays.fill(file.array(), damaged, damaged + 600, (byte) 0);
        Files.write(journal.resolve("1.txn"), file.array());
        file.clear().position(512).put(new byte[FILE - 512]).position(512);
        Files.write(journal.resolve("2.txn"), file.array());
        assertThatThrownBy(this::repaired)
                .isInstanceOf(DataFolderException.Damaged.class)
                .hasMessageContaining("1.txn is damaged at byte " + damaged)
                .hasMessageContaining("entry 1 of ledger 7 is missing");
    }

    @Test
    void whatFollowsAHoleIsFoundWhereverItBegins() throws IOException {
        byte[] header = Arrays.copyOf(file.array(), 512);
        for (int hole = 4; hole < 40; hole++) {
            file.clear().put(Arrays.copyOf(header, FILE)).position(512);
            record(7, 0, -1);
            int damaged = file.position();
            file.position(damaged + hole);
            record(7, 2, 1);
            Files.write(journal.resolve("1.txn"), file.array());
            file.clear().put(Arrays.copyOf(header, FILE));
            Files.write(journal.resolve("2.txn"), file.array());
            assertThatThrownBy(this::repaired)
                    .as("%d zeros", hole)
                    .isInstanceOf(DataFolderException.Damaged.class)
                    .hasMessageContaining("1.txn is damaged at byte " + damaged)
                    .hasMessageContaining("entry 1 of ledger 7 is missing");
        }
    }

    @Test
    void aLedgerThatWasEndedHasAllItsEntries() throws IOException {
        record(7, 0, -1);
        Files.write(path(), file.array());
        assertThatThrownBy(() -> repair(ledger -> 1L))
                .isInstanceOf(DataFolderException.Damaged.class)
                .hasMessageContaining("lacks entry 1 of ledger 7");
    }

    @Test
    void whatDeletedLedgersLeftBehindTheEndMeansNothing() throws IOException {
        record(7, 0, -1);
        file.position(file.position() + 1_000);
        record(5, 3, 2);
        record(5, 4, 3);
        assertThat(repaired()).isEqualTo(FILE);
    }

    @Test
    void whatIsUnusedInOlderFilesIsGivenBack() throws IOException {
        record(7, 0, -1);
        Path oldest = journal.resolve("1a29.txn");
        Files.write(oldest, file.array());
        byte[] next = Arrays.copyOf(file.array(), 512);
        Files.write(journal.resolve("1a2a.txn"), Arrays.copyOf(next, FILE));
        assertThat(repaired(Arrays.copyOf(next, FILE))).isEqualTo(FILE);
        assertThat(Files.size(journal.resolve("1a2a.txn"))).isEqualTo(FILE);
        assertThat(Files.size(oldest)).isEqualTo(4096);
        assertThat(Files.readAllBytes(oldest)).isEqualTo(Arrays.copyOf(file.array(), 4096));
    }

    @Test
    void anOlderFileIsLookedThroughToItsEndBeforeAnythingOfItIsGivenBack() throws IOException {
        record(7, 0, -1);
        int hole = file.position();
        record(7, 1, 0);
        int farEntry = 6 << 20;
        byte[] oldest = Arrays.copyOf(Arrays.copyOf(file.array(), hole), 8 << 20);
        System.arraycopy(file.array(), hole, oldest, farEntry, file.position() - hole);
        Files.write(journal.resolve("1.txn"), oldest);
        byte[] empty = Arrays.copyOf(Arrays.copyOf(file.array(), 512), FILE);
        Files.write(journal.resolve("2.txn"), empty);
        assertThatThrownBy(() -> repaired(empty))
                .isInstanceOf(DataFolderException.Damaged.class)
                .hasMessageContaining("1.txn is damaged at byte " + hole)
                .hasMessageContaining("entry 1 of ledger 7 is missing");
        assertThat(Files.readAllBytes(journal.resolve("1.txn"))).isEqualTo(oldest);
    }

    @Test
    void aBookieOfSeveralMayLackAnyEntries() throws IOException {
        record(7, 3, 2);
        record(7, 9, 8);
        record(7, 5, 8);
        Files.write(path(), file.array());
        repair(some(true));
        assertThat(Files.size(path())).isEqualTo(FILE);
    }

    @Test
    void aTornWriteIsCutOffAlsoWhereOthersHaveTheRest() throws IOException {
        record(7, 3, 2);
        int torn = file.position();
        record(7, 4, 3);
        file.put(torn + 100, (byte) ~file.get(torn + 100));
        // of the same write, which nobody was told of
        record(7, 6, 5);
        Files.write(path(), file.array());
        repair(some(true));
        assertThat(Files.size(path())).isEqualTo(torn);
    }

    @Test
    void whatFollowsFartherBehindThanAWriteIsLongWasAcknowledged() throws IOException {
        record(7, 3, 2);
        int damaged = file.position();
        record(7, 4, 3);
        byte[] large = Arrays.copyOf(file.array(), 8 << 20);
        large[damaged + 100] ^= (byte) 0xff;
        int from = file.position();
        record(7, 6, 5);
        System.arraycopy(file.array(), from, large, 6 << 20, file.position() - from);
        Arrays.fill(large, from, file.position(), (byte) 0);
        Files.write(path(), large);
        assertThatThrownBy(() -> repair(some(true)))
                .isInstanceOf(DataFolderException.Damaged.class)
                .hasMessageContaining("damaged at byte " + damaged)
                .hasMessageContaining("entry 6 of ledger 7 is missing");
        assertThat(Files.readAllBytes(path())).isEqualTo(large);
    }

    @Test
    void aNewerFileIsBegunWhenThatBeforeItIsOnTheDisk() throws IOException {
        record(7, 3, 2);
        int damaged = file.position();
        record(7, 4, 3);
        file.put(damaged + 100, (byte) ~file.get(damaged + 100));
        Files.write(journal.resolve("1.txn"), file.array());
        file.clear().position(512).put(new byte[FILE - 512]).position(512);
        record(7, 5, 4);
        Files.write(path(), file.array());
        assertThatThrownBy(() -> repair(some(true)))
                .isInstanceOf(DataFolderException.Damaged.class)
                .hasMessageContaining("1.txn is damaged at byte " + damaged);
    }

    /** Of such a ledger only its readers can tell. */
    @Test
    void entriesWithAnotherDigestCountAsWhole() throws IOException {
        record(7, 0, -1);
        int other = file.position();
        record(7, 1, 0);
        file.put(other + 100, (byte) ~file.get(other + 100));
        // the least an entry without a digest has
        file.putInt(32).putLong(7).putLong(2).putLong(1).putLong(1_000);
        Files.write(path(), file.array());
        repair(some(false));
        assertThat(Files.size(path())).isEqualTo(FILE);
    }

    /** A ledger, of number 7, of several bookies. */
    private static JournalCheck.Ledgers some(boolean checksums) {
        return new JournalCheck.Ledgers() {
            @Override
            public @Nullable Long end(long ledger) {
                return ledger == 7 ? OPEN : null;
            }

            @Override
            public boolean isComplete(long ledger) {
                return false;
            }

            @Override
            public boolean hasChecksums(long ledger) {
                return checksums;
            }
        };
    }

    private Path path() {
        return journal.resolve("1a2b.txn");
    }

    private long repaired() throws IOException {
        return repaired(file.array());
    }

    private long repaired(byte[] content) throws IOException {
        Files.write(path(), content);
        repair(ledger -> ledger == 7 ? JournalCheck.Ledgers.OPEN : null);
        return Files.size(path());
    }

    private void repair(JournalCheck.Ledgers ledgers) throws IOException {
        try (JournalWalk walk = JournalWalk.beforeStart(journal, journal.resolve("kept"))) {
            RepairJournalTail.in(walk, ledgers, "restore it");
        }
    }

    /** @return where it ends */
    private int record(long ledger, long entry, long lastConfirmed) {
        byte[] frame = new byte[1_000];
        random.nextBytes(frame);
        ByteBuffer head = ByteBuffer.allocate(32)
                .putLong(ledger)
                .putLong(entry)
                .putLong(lastConfirmed)
                .putLong(1_000);
        var checksum = new CRC32C();
        checksum.update(head.array());
        checksum.update(frame);
        file.putInt(36 + frame.length)
                .put(head.array())
                .putInt((int) checksum.getValue())
                .put(frame);
        return file.position();
    }

    /** As the journal does it: to a multiple of 512. */
    private void padding() {
        int bytes = 512 - (file.position() + 8) % 512;
        file.putInt(-256).putInt(bytes).put(new byte[bytes]);
    }

    /** A ledger's master key, which the bookie journals as an entry with a negative number. */
    private void key(long ledger) {
        file.putInt(40).putLong(ledger).putLong(-0x1000).putInt(20).put(new byte[20]);
    }
}
