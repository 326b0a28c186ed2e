package io.sluice.bookie.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.bookie.assembly.DataFolderException;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.bookkeeper.net.BookieId;
import org.apache.pulsar.metadata.api.NotificationType;
import org.apache.pulsar.metadata.api.extended.CreateOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedBookieTest {
    private static final int FRAME_BYTES = 256 << 10;
    private static final int JOURNAL_FILE = 4 << 20;
    /** Acknowledged, of 20 kB each, before a process is killed that goes from ledger to ledger. */
    private static final int STARTS = Integer.getInteger("bookie.starts", 3);

    private static final int FRAMES = Integer.getInteger("sluice.killed.frames", 500);

    @TempDir
    private Path folder;

    @Test
    void framesSurviveACleanRestart() throws Exception {
        long ledger;
        try (Bookie bookie = Bookie.start(folder)) {
            LedgerWriter writer = store(bookie).open(1).startLedger();
            ledger = writer.ledger();
            append(writer, 100);
        }
        try (Bookie bookie = Bookie.start(folder)) {
            assertThat(replay(store(bookie).open(1), ledger)).hasSize(100);
        }
    }

    @Test
    void aLogIsReadWhileItIsCopiedOutOfTheJournal() throws Exception {
        long ledger = writtenAndUncollected(100);
        try (Bookie bookie = Bookie.start(folder, settings(JOURNAL_FILE, Duration.ofMillis(200)))) {
            Wal wal = store(bookie).open(1);
            await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).until(() -> {
                boolean copied = !copies().isEmpty();
                assertThat(replay(wal, ledger)).hasSize(100);
                return copied;
            });
        }
    }

    @Test
    void aStartCopiesNothingThatMayStayInTheJournal() throws Exception {
        writtenAndUncollected(100);
        for (int start = 0; start < 3; start++) {
            // waits for the collection that has begun
            Bookie.start(folder, settings(100 * FRAME_BYTES + FRAME_BYTES / 2, Duration.ofHours(1)))
                    .close();
            assertThat(copies()).isEmpty();
        }
    }

    /** What BookKeeper reads once more at a start, since no collection has moved its mark: all of it. */
    private long writtenAndUncollected(int frames) throws Exception {
        try (Bookie bookie = Bookie.start(folder, settings(1 << 30, Duration.ofHours(1)))) {
            LedgerWriter writer = store(bookie).open(1).startLedger();
            append(writer, frames);
            return writer.ledger();
        }
    }

    private static BookieSettings settings(long retainedBytes, Duration collectInterval) {
        return new BookieSettings("test", JOURNAL_FILE, retainedBytes, 32 << 20, 64 << 20, collectInterval);
    }

    private List<Path> copies() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("bookie/ledgers/current"))) {
            return files.filter(file -> file.toString().endsWith(".kept")).toList();
        }
    }

    /** It is taken away and made anew while the clients begin to look. */
    @Test
    void theRegistrationOfAProcessThatWasKilledIsReplaced() throws Exception {
        String path = "/ledgers/available/" + Bookie.SETTINGS.bookieId();
        for (int start = 0; start < STARTS; start++) {
            byte[] registration;
            try (Bookie bookie = Bookie.start(folder)) {
                registration =
                        Objects.requireNonNull(bookie.metadata().get(path)).value();
            }
            try (PulsarMetadata killed =
                    PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), Duration.ofSeconds(10))) {
                killed.store()
                        .put(path, registration, Optional.of(-1L), EnumSet.of(CreateOption.Ephemeral))
                        .get(30, TimeUnit.SECONDS);
            }
        }
        Bookie.start(folder).close();
    }

    @Test
    void clientsKnowTheBookieWhateverElseOfItsNameIsDeleted() throws Exception {
        try (Bookie bookie = Bookie.start(folder)) {
            var clients = bookie.embedded().clients().others();
            String topic = "/topics/" + Bookie.SETTINGS.bookieId();
            CompletableFuture<Void> told = new CompletableFuture<>();
            // told after the clients are, which have registered before
            bookie.metadata().store().registerListener(event -> {
                if (event.getPath().equals(topic) && event.getType() == NotificationType.Deleted) {
                    told.complete(null);
                }
            });
            long version = bookie.metadata().put(topic, new byte[0], -1);
            bookie.metadata().delete(topic, version);
            told.get(30, TimeUnit.SECONDS);
            assertThat(clients.getBookieAddressResolver().resolve(BookieId.parse(Bookie.SETTINGS.bookieId())))
                    .isNotNull();
        }
    }

    @Test
    void appendsToABookieThatIsGoneFailAtOnce() throws Exception {
        Bookie bookie = Bookie.start(folder);
        try {
            LedgerWriter writer = store(bookie).open(1).startLedger();
            append(writer, 3);
            bookie.embedded().close();
            assertThatThrownBy(() -> append(writer, 2)).hasCauseInstanceOf(WalException.Unavailable.class);
        } finally {
            bookie.metadata().close();
        }
    }

    @Test
    void anEntryThatIsNotWhatWasWrittenIsCorrupt() throws Exception {
        try (Bookie bookie = Bookie.start(folder)) {
            BookKeeperWalStore store = store(bookie);
            Wal wal = store.open(1);
            LedgerWriter writer = wal.startLedger();
            append(writer, 10);
            wal.close();
            flipBit(journal(), 5 * FRAME_BYTES);
            Wal next = store.open(1);
            assertThatThrownBy(() -> replay(next, writer.ledger())).isInstanceOf(WalException.Corrupt.class);
            next.close();
        }
    }

    @Test
    void aLedgerThatWasEndedIsKnownByItsLastEntryAndLength() throws Exception {
        try (Bookie bookie = Bookie.start(folder)) {
            LedgerWriter writer = store(bookie).open(1).startLedger();
            append(writer, 7);
            writer.close();
            var ledgers = bookie.embedded().clients().others();
            long id = ledgers.newListLedgersOp()
                    .execute()
                    .get()
                    .toIterable()
                    .iterator()
                    .next();
            var ended = ledgers.getLedgerMetadata(id).get();
            assertThat(ended.isClosed()).isTrue();
            assertThat(ended.getLastEntryId()).isEqualTo(6);
            assertThat(ended.getLength()).isEqualTo(7L * FRAME_BYTES);
        }
    }

    @Test
    void nothingAcknowledgedIsLostWhenTheProcessIsKilled() throws Exception {
        long expected = 0;
        for (int kill = 0; kill < 2; kill++) {
            long acknowledged = writeAndKill(100 + 150 * kill, Long.MAX_VALUE);
            try (Bookie bookie = Bookie.start(folder)) {
                Wal wal = store(bookie).open(1);
                List<Long> numbers = replay(wal, wal.recovered().getLast());
                assertThat(numbers).hasSizeGreaterThan((int) acknowledged);
                for (int i = 0; i < numbers.size(); i++) {
                    assertThat(numbers.get(i)).isEqualTo(i);
                }
                assertThat(wal.recovered()).hasSize(kill + 1);
                assertThat(wal.term()).isGreaterThan(expected);
                expected = wal.term();
            }
        }
    }

    /** Behind the end of the journal are records of ledgers that were deleted long ago. */
    @Test
    void nothingIsLostOrComesBackWhenAJournalIsKilledThatWritesOverOldFiles() throws Exception {
        for (int kill = 0; kill < 2; kill++) {
            long acknowledged = writeAndKill(FRAMES + 170 * kill, FRAMES / 14);
            try (Bookie bookie = Bookie.start(folder)) {
                Wal wal = store(bookie).open(1);
                List<Long> numbers = new ArrayList<>();
                for (long ledger : wal.recovered()) {
                    numbers.addAll(replay(wal, ledger));
                }
                for (int i = 1; i < numbers.size(); i++) {
                    assertThat(numbers.get(i)).isEqualTo(numbers.get(i - 1) + 1);
                }
                assertThat(numbers.getLast()).isGreaterThanOrEqualTo(acknowledged);
                assertThat(numbers.getFirst()).isLessThan(acknowledged).isPositive();
                wal.truncate(wal.startLedger().ledger());
            }
        }
    }

    /** The disk has all of it, though nobody has told it to keep it. */
    @Test
    void aKillTakesNothingFromALogThatDefersTheSync() throws Exception {
        for (int kill = 0; kill < 2; kill++) {
            long acknowledged = writeAndKill(FRAMES / 2, Long.MAX_VALUE, false);
            try (Bookie bookie = Bookie.start(folder)) {
                Wal wal = store(bookie).open(1);
                List<Long> numbers = replay(wal, wal.recovered().getLast());
                assertThat(numbers).hasSizeGreaterThan((int) acknowledged);
                for (int i = 0; i < numbers.size(); i++) {
                    assertThat(numbers.get(i)).isEqualTo(i);
                }
            }
        }
    }

    @Test
    void whatWasTruncatedLeavesTheDisk() throws Exception {
        try (Bookie bookie = Bookie.start(folder)) {
            Wal wal = store(bookie).open(1);
            for (int i = 0; i < 40; i++) {
                LedgerWriter writer = wal.startLedger();
                append(writer, 16);
                writer.close();
                wal.truncate(writer.ledger());
            }
            LedgerWriter last = wal.startLedger();
            wal.truncate(last.ledger());
            append(last, 1);
            // 160 MB went through; what is left are a few files of 16 MB, one of them a spare.
            // A file may go while its folder is walked through.
            await().atMost(Duration.ofSeconds(30))
                    .ignoreException(UncheckedIOException.class)
                    .until(() -> bytesOnDisk(folder.resolve("bookie")) < 96 << 20);
        }
    }

    @Test
    void stopsBeforeAnybodyLosesPatience() throws Exception {
        Bookie bookie = Bookie.start(folder);
        append(store(bookie).open(1).startLedger(), 50);
        long before = System.nanoTime();
        bookie.close();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void aBookieWithoutItsFilesIsRefused() throws Exception {
        Bookie.start(folder).close();
        Files.move(folder.resolve("bookie"), folder.resolve("elsewhere"));
        assertThatThrownBy(() -> Bookie.start(folder))
                .isInstanceOf(DataFolderException.Damaged.class)
                .hasMessageContaining("does not belong");
    }

    @Test
    void aFolderThatIsAFileIsRefused() throws Exception {
        Files.createFile(folder.resolve("bookie"));
        assertThatThrownBy(() -> Bookie.start(folder)).isInstanceOf(DataFolderException.NotWritable.class);
    }

    @Test
    void aFullDiskIsRefused() throws Exception {
        BookieSettings hungry =
                new BookieSettings("test", 4 << 20, 32 << 20, 32 << 20, Long.MAX_VALUE, Duration.ofSeconds(1));
        try (PulsarMetadata metadata =
                PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), Duration.ofSeconds(10))) {
            assertThatThrownBy(() -> EmbeddedBookie.start(folder.resolve("bookie"), metadata, hungry))
                    .isInstanceOf(DataFolderException.Full.class)
                    .hasMessageContaining("MiB are free");
        }
    }

    @Test
    void metadataOfARunningProcessIsRefused() throws Exception {
        Process writer = startWriter(Long.MAX_VALUE);
        try (BufferedReader acknowledged = writer.inputReader()) {
            assertThat(acknowledged.readLine()).isEqualTo("0");
            assertThatThrownBy(() -> Bookie.start(folder)).isInstanceOf(PulsarMetadata.InUse.class);
        } finally {
            kill(writer);
        }
    }

    /** @return the highest acknowledged number */
    private long writeAndKill(int frames, long rollAfter) throws Exception {
        return writeAndKill(frames, rollAfter, true);
    }

    private long writeAndKill(int frames, long rollAfter, boolean waits) throws Exception {
        Process writer = startWriter(rollAfter, waits);
        try (BufferedReader acknowledged = writer.inputReader()) {
            long highest = -1;
            while (highest < frames) {
                highest = Long.parseLong(acknowledged.readLine());
            }
            kill(writer);
            // What it managed to print before it died was acknowledged, too; the last line may be cut short.
            List<String> rest = acknowledged.lines().toList();
            return rest.size() < 2 ? highest : Long.parseLong(rest.get(rest.size() - 2));
        } finally {
            kill(writer);
        }
    }

    private Process startWriter(long rollAfter) throws IOException {
        return startWriter(rollAfter, true);
    }

    private Process startWriter(long rollAfter, boolean waits) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag ->
                        Stream.of("--", "-Dio.netty", "-Djava.net", "-XX:").anyMatch(flag::startsWith))
                .forEach(command::add);
        command.addAll(List.of(
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                CrashingWriter.class.getName(),
                folder.toString(),
                Long.toString(rollAfter),
                Boolean.toString(waits)));
        return new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
    }

    /** Through the handle, which leaves the pipe open, so that what the process printed last can still be read. */
    private static void kill(Process process) throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor(30, TimeUnit.SECONDS);
    }

    private static BookKeeperWalStore store(Bookie bookie) {
        return new BookKeeperWalStore(
                bookie.embedded().clients(),
                bookie.metadata(),
                LedgerSettings.STANDALONE,
                CrashingWriter.CLUSTER,
                "node");
    }

    private static void append(LedgerWriter writer, int frames) throws Exception {
        List<CompletableFuture<Void>> appended = new ArrayList<>();
        for (int i = 0; i < frames; i++) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            appended.add(done);
            ByteBuf frame = Unpooled.directBuffer(FRAME_BYTES).writeLong(i).writeZero(FRAME_BYTES - Long.BYTES);
            writer.append(frame, new LedgerWriter.Callback() {
                @Override
                public void durable() {
                    frame.release();
                    done.complete(null);
                }

                @Override
                public void failed(WalException why) {
                    frame.release();
                    done.completeExceptionally(why);
                }
            });
        }
        for (CompletableFuture<Void> each : appended) {
            each.get(30, TimeUnit.SECONDS);
        }
    }

    private static List<Long> replay(Wal wal, long ledger) throws WalException {
        List<Long> numbers = new ArrayList<>();
        wal.replay(ledger, frame -> numbers.add(frame.getLong(frame.readerIndex())));
        return numbers;
    }

    /** The only file. */
    private Path journal() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("bookie/journal/current"))) {
            return files.filter(file -> file.toString().endsWith(".txn"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void flipBit(Path file, long at) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            channel.write(one.put(0, (byte) (one.get(0) ^ 1)).flip(), at);
        }
    }

    private static long bytesOnDisk(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }
}
