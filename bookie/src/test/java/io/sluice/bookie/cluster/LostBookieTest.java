package io.sluice.bookie.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.TestZooKeeper;
import io.sluice.store.wal.bookkeeper.BookKeeperClients;
import io.sluice.store.wal.bookkeeper.BookKeeperSettings;
import io.sluice.store.wal.bookkeeper.BookieTls;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import io.sluice.store.wal.bookkeeper.RegisteredBookie.Forgotten;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.LedgerEntry;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.net.BookieId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stock bookie of an ensemble with ours is lost for good, and BookKeeper's autorecovery in one of ours copies what it had, all over
 * TLS.
 */
final class LostBookieTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final byte[] PASSWORD = {1};
    private static final int ENTRIES = 300;
    private static final int ENTRY_BYTES = 10_000;

    @TempDir
    private Path folder;

    private final List<RunningBookie> bookies = new ArrayList<>();
    private BookieTls tls;
    private TestZooKeeper zooKeeper;
    private PulsarMetadata metadata;
    private BookKeeperClients clients;

    @BeforeEach
    void start() throws Exception {
        tls = new TestAuthority().write(folder.resolve("tls"));
        zooKeeper = new TestZooKeeper(folder.resolve("zookeeper"));
        for (RunningBookie.Kind kind :
                List.of(RunningBookie.Kind.STOCK, RunningBookie.Kind.OURS, RunningBookie.Kind.RECOVERING)) {
            start(kind);
        }
        metadata = PulsarMetadata.open(zooKeeper.metadataUrl(), Duration.ofSeconds(10));
        clients = BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT.with(tls));
    }

    private RunningBookie start(RunningBookie.Kind kind) throws Exception {
        RunningBookie started =
                RunningBookie.start(kind, folder.resolve("bookie-" + bookies.size()), zooKeeper.metadataUrl(), tls);
        bookies.add(started);
        return started;
    }

    @AfterEach
    void stop() throws Exception {
        clients.close();
        metadata.close();
        for (RunningBookie each : bookies) {
            each.close();
        }
        zooKeeper.close();
    }

    @Test
    void whatItHadIsCopiedToAnother() throws Exception {
        BookKeeper client = clients.clients().others();
        long ledger;
        try (LedgerHandle writer = client.createLedger(3, 3, 2, BookKeeper.DigestType.CRC32C, PASSWORD)) {
            ledger = writer.getId();
            for (int entry = 0; entry < ENTRIES; entry++) {
                writer.addEntry(content(entry));
            }
        }
        RunningBookie replacement = start(RunningBookie.Kind.OURS);
        RunningBookie lost = bookies.removeFirst();
        metadata.putLast(
                "/ledgers/cookies/" + lost.id(), new byte[] {1}); // as its program does, which does not run here
        lost.close();
        assertThat(RegisteredBookie.forget(metadata, lost.id().toString())).isIn(Forgotten.RUNS, Forgotten.NEEDED);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ensembles(client, ledger))
                        .hasSize(1)
                        .first()
                        .satisfies(ensemble -> assertThat(ensemble).contains(replacement.id())));
        assertThat(RegisteredBookie.forget(metadata, replacement.id().toString()))
                .isEqualTo(Forgotten.RUNS);
        assertThat(RegisteredBookie.forget(metadata, lost.id().toString())).isEqualTo(Forgotten.FORGOTTEN);
        assertThat(RegisteredBookie.read(metadata))
                .noneMatch(each -> each.id().equals(lost.id().toString()));

        List<Long> listed = new ArrayList<>();
        replacement.bookie().getListOfEntriesOfLedger(ledger).forEachRemaining((LongConsumer) listed::add);
        assertThat(listed)
                .containsExactlyElementsOf(LongStream.range(0, ENTRIES).boxed().toList());
        // it answers for all, also after it was started again
        for (RunningBookie other : bookies) {
            other.close();
        }
        bookies.clear();
        bookies.add(replacement.startAgain(zooKeeper.metadataUrl()));
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(read(client, ledger))
                        .containsExactlyElementsOf(IntStream.range(0, ENTRIES)
                                .mapToObj(LostBookieTest::content)
                                .toList()));
    }

    private static List<List<BookieId>> ensembles(BookKeeper client, long ledger) {
        return client
                .getLedgerManager()
                .readLedgerMetadata(ledger)
                .join()
                .getValue()
                .getAllEnsembles()
                .values()
                .stream()
                .map(List::copyOf)
                .toList();
    }

    private static List<byte[]> read(BookKeeper client, long ledger) throws Exception {
        List<byte[]> entries = new ArrayList<>();
        try (LedgerHandle reader = client.openLedgerNoRecovery(ledger, BookKeeper.DigestType.CRC32C, PASSWORD)) {
            for (LedgerEntry entry : Collections.list(reader.readEntries(0, ENTRIES - 1))) {
                entries.add(entry.getEntry());
            }
        }
        return entries;
    }

    private static byte[] content(int entry) {
        byte[] content = new byte[ENTRY_BYTES];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (entry + i);
        }
        return content;
    }
}
