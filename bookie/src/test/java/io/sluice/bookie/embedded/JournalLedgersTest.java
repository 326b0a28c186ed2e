package io.sluice.bookie.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.bookkeeper.client.api.BKException;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.apache.bookkeeper.common.concurrent.FutureUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What BookKeeper's own client may expect of a bookie, of one whose ledgers are in its journal. */
final class JournalLedgersTest {
    private static final byte[] PASSWORD = {1, 2, 3};
    private static final int ENTRY_BYTES = 256 << 10;
    private static final int LARGE_ENTRY_BYTES = 4 << 20;

    /** Ledgers that are fenced while they are appended to. */
    private static final int FENCED = Integer.getInteger("sluice.fenced.ledgers", 5);

    @TempDir
    private Path folder;

    @Test
    void anOpenLedgerIsReadToItsLastAcknowledgedEntryAndIsFencedByRecovery() throws Exception {
        try (Bookie bookie = Bookie.start(folder)) {
            WriteHandle writer = create(bookie);
            for (int entries = 1; entries <= 40; entries++) {
                append(writer, 1);
                try (ReadHandle beside = open(bookie, writer.getId(), false)) {
                    check(beside, entries);
                }
            }
            try (ReadHandle recovered = open(bookie, writer.getId(), true)) {
                assertThat(recovered.getLastAddConfirmed()).isEqualTo(39);
                check(recovered, 40);
            }
            assertThatThrownBy(() -> append(writer, 1)).isInstanceOf(BKException.class);
        }
    }

    @Test
    void whatWasOnItsWayWhenALedgerWasFencedIsReadableIfItWasAcknowledged() throws Exception {
        try (Bookie bookie = Bookie.start(folder)) {
            for (int round = 0; round < FENCED; round++) {
                WriteHandle writer = create(bookie);
                List<CompletableFuture<Long>> adds = new ArrayList<>();
                for (int entry = 0; entry < 60; entry++) {
                    adds.add(writer.appendAsync(content(writer.getId(), entry)));
                }
                try (ReadHandle recovered = open(bookie, writer.getId(), true)) {
                    long there = recovered.getLastAddConfirmed() + 1;
                    check(recovered, (int) there);
                    for (int entry = 0; entry < adds.size(); entry++) {
                        if (acknowledged(adds.get(entry))) {
                            assertThat((long) entry).isLessThan(there);
                        }
                    }
                }
            }
        }
    }

    /** The recovery looks for it before the journal has it. */
    @Test
    void theFirstEntryIsKeptIfItIsAcknowledgedThoughTheLedgerIsFencedMeanwhile() throws Exception {
        try (Bookie bookie = Bookie.start(folder)) {
            for (int round = 0; round < 10 * FENCED; round++) {
                WriteHandle writer = create(bookie);
                CompletableFuture<Long> add = writer.appendAsync(new byte[LARGE_ENTRY_BYTES]);
                try (ReadHandle recovered = open(bookie, writer.getId(), true)) {
                    long last = recovered.getLastAddConfirmed();
                    assertThat(acknowledged(add)).isEqualTo(last == 0);
                }
            }
        }
    }

    private static boolean acknowledged(CompletableFuture<Long> add) {
        return add.handle((entry, refused) -> refused == null).join();
    }

    @Test
    void aLedgerThatOutlivesItsJournalIsCopiedAndStaysReadable() throws Exception {
        long idle;
        try (Bookie bookie = Bookie.start(folder)) {
            WriteHandle writer = create(bookie);
            idle = writer.getId();
            append(writer, 10);
            writeAndDelete(bookie, 30);
            await().until(() -> kept().size() == 1);
            try (ReadHandle beside = open(bookie, idle, false)) {
                check(beside, 10);
            }
            append(writer, 5);
            Path copy = kept().getFirst();
            long before = Files.size(copy);
            writeAndDelete(bookie, 30);
            await().until(() -> Files.size(copy) > before);
            try (ReadHandle beside = open(bookie, idle, false)) {
                check(beside, 15);
            }
        }
        try (Bookie bookie = Bookie.start(folder)) {
            try (ReadHandle recovered = open(bookie, idle, true)) {
                check(recovered, 15);
            }
            assertThatThrownBy(() -> open(bookie, idle, true, new byte[] {9})).isInstanceOf(BKException.class);
            writeAndDelete(bookie, 30);
            try (ReadHandle again = open(bookie, idle, false)) {
                check(again, 15);
            }
            bookie.embedded()
                    .clients()
                    .others()
                    .newDeleteLedgerOp()
                    .withLedgerId(idle)
                    .execute()
                    .get();
            await().until(() -> kept().isEmpty());
        }
    }

    @Test
    void deletedLedgersGiveTheirFilesBackAndTheJournalWritesOverThem() throws Exception {
        try (Bookie bookie = Bookie.start(folder)) {
            writeAndDelete(bookie, 30);
            await().until(() -> files(".txn").size() <= 3);
            long all = journalFiles();
            assertThat(files(".spare")).isNotEmpty();
            List<Path> before = files(".txn");
            // a journal that is written faster than deleted ledgers are collected needs more files than it had
            int least = Math.min(2, files(".spare").size());
            for (int ledger = 0; ledger < 10; ledger++) {
                await().until(() -> files(".spare").size() >= least);
                writeAndDelete(bookie, 1);
            }
            assertThat(files(".txn")).isNotEqualTo(before);
            // one more at a moment when a collection is late; ten were written
            assertThat(journalFiles()).isLessThanOrEqualTo(all + 3);
            assertThat(Files.size(files(".txn").getLast())).isGreaterThan(4 << 20);
            await().until(() -> openDeleted() == 0);
            // when it is quiet the disk gets its space back
            await().atMost(Duration.ofSeconds(30)).until(() -> files(".spare").size() <= 1);
        }
    }

    @Test
    void whatLaterGenerationsOfAFileLeftBehindItsEndIsNotRead() throws Exception {
        long ledger = -1;
        for (int generation = 0; generation < 4; generation++) {
            try (Bookie bookie = Bookie.start(folder)) {
                if (ledger >= 0) {
                    try (ReadHandle recovered = open(bookie, ledger, true)) {
                        check(recovered, 3);
                    }
                    bookie.embedded()
                            .clients()
                            .others()
                            .newDeleteLedgerOp()
                            .withLedgerId(ledger)
                            .execute()
                            .get();
                }
                writeAndDelete(bookie, 20);
                await().until(() -> !files(".spare").isEmpty());
                WriteHandle writer = create(bookie);
                ledger = writer.getId();
                append(writer, 3);
            }
        }
    }

    @Test
    void oneStartAfterTheOtherDoesNotFillTheDiskWhileALedgerLives() throws Exception {
        List<Long> ledgers = new ArrayList<>();
        long afterThree = 0;
        for (int starts = 1; starts <= 12; starts++) {
            try (Bookie bookie = Bookie.start(folder)) {
                WriteHandle writer = create(bookie);
                ledgers.add(writer.getId());
                append(writer, 1);
            }
            afterThree = starts == 3 ? journalBytes() : afterThree;
        }
        assertThat(journalBytes()).isLessThan(afterThree + 12L * 2 * ENTRY_BYTES);
        try (Bookie bookie = Bookie.start(folder)) {
            for (long ledger : ledgers) {
                try (ReadHandle recovered = open(bookie, ledger, true)) {
                    check(recovered, 1);
                }
            }
        }
    }

    private long journalBytes() throws IOException {
        return files(".txn").stream().mapToLong(file -> file.toFile().length()).sum();
    }

    private static WriteHandle create(Bookie bookie) throws Exception {
        return bookie.embedded()
                .clients()
                .others()
                .newCreateLedgerOp()
                .withEnsembleSize(1)
                .withWriteQuorumSize(1)
                .withAckQuorumSize(1)
                .withDigestType(DigestType.CRC32C)
                .withPassword(PASSWORD)
                .execute()
                .get();
    }

    private static ReadHandle open(Bookie bookie, long ledger, boolean recovery) throws Exception {
        return open(bookie, ledger, recovery, PASSWORD);
    }

    private static ReadHandle open(Bookie bookie, long ledger, boolean recovery, byte[] password) throws Exception {
        return FutureUtils.result(bookie.embedded()
                .clients()
                .others()
                .newOpenLedgerOp()
                .withLedgerId(ledger)
                .withDigestType(DigestType.CRC32C)
                .withPassword(password)
                .withRecovery(recovery)
                .execute());
    }

    /** Ledgers of 4 MiB each, one journal file's worth; each is deleted before the next but one. */
    private static void writeAndDelete(Bookie bookie, int ledgers) throws Exception {
        for (int i = 0; i < ledgers; i++) {
            WriteHandle writer = create(bookie);
            append(writer, 16);
            writer.close();
            bookie.embedded()
                    .clients()
                    .others()
                    .newDeleteLedgerOp()
                    .withLedgerId(writer.getId())
                    .execute()
                    .get();
        }
    }

    private static void append(WriteHandle writer, int entries) throws Exception {
        long first = writer.getLastAddPushed() + 1;
        for (long entry = first; entry < first + entries; entry++) {
            writer.append(content(writer.getId(), entry));
        }
    }

    private static byte[] content(long ledger, long entry) {
        byte[] content = new byte[ENTRY_BYTES];
        new SplittableRandom(ledger * 1_000_003 + entry).nextBytes(content);
        return content;
    }

    private static void check(ReadHandle ledger, int entries) throws Exception {
        if (entries == 0) {
            return;
        }
        try (LedgerEntries read = ledger.readUnconfirmed(0, entries - 1)) {
            long next = 0;
            for (LedgerEntry entry : read) {
                assertThat(entry.getEntryId()).isEqualTo(next);
                assertThat(entry.getEntryBytes()).isEqualTo(content(ledger.getId(), next));
                next++;
            }
            assertThat(next).isEqualTo(entries);
        }
    }

    private List<Path> kept() throws IOException {
        return list(folder.resolve("bookie/ledgers/current"), ".kept");
    }

    /** In one look, since files change their names meanwhile. */
    private long journalFiles() throws IOException {
        return files("").stream()
                .filter(file ->
                        file.toString().endsWith(".txn") || file.toString().endsWith(".spare"))
                .count();
    }

    private List<Path> files(String suffix) throws IOException {
        return list(folder.resolve("bookie/journal/current"), suffix);
    }

    private static List<Path> list(Path directory, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    /** Files of the journal that are gone and still open. */
    private static long openDeleted() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(JournalLedgersTest::isDeletedJournal).count();
        }
    }

    private static boolean isDeletedJournal(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.contains("/journal/") && target.endsWith("(deleted)");
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }
}
