package io.sluice.bookie.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalContract;
import io.sluice.store.wal.WalStore;
import io.sluice.store.wal.bookkeeper.BookKeeperClients;
import io.sluice.store.wal.bookkeeper.BookKeeperSettings;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.net.BookieId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log on bookies as they come, with their own storage and their own settings, over sockets: three of four at a time. */
final class StockBookiesTest extends WalContract {
    private static final LedgerSettings THREE = LedgerSettings.REPLICATED;

    /** Ledgers that are fenced while they are appended to. */
    private static final int FENCED = Integer.getInteger("sluice.fenced.ledgers", 40);

    private static final int FRAMES = 100;
    private static final int FRAME_BYTES = 20_000;

    @TempDir
    private static Path folder;

    private static final List<StockBookie> bookies = new ArrayList<>();
    private static PulsarMetadata metadata;
    private static BookKeeperClients clients;

    private final InMemoryMetadata chains = new InMemoryMetadata();
    private final String clusterId = UUID.randomUUID().toString();

    @BeforeAll
    static void start() throws Exception {
        metadata = PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), Duration.ofSeconds(10));
        for (int i = 0; i <= THREE.ensemble(); i++) {
            bookies.add(StockBookie.start(folder.resolve("bookie-" + i), metadata));
        }
        clients = BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT.with(THREE));
    }

    @AfterAll
    static void stop() {
        clients.close();
        bookies.forEach(StockBookie::close);
        metadata.close();
    }

    @Override
    protected WalStore connect() {
        return new BookKeeperWalStore(clients.clients(), chains, THREE, clusterId, "node");
    }

    @Test
    void aBookieThatDiesIsReplacedAndNothingIsLost() throws Exception {
        Wal wal = open(1);
        LedgerWriter ledger = wal.startLedger();
        Appends appends = new Appends();
        append(0, appends, ledger);
        appends.allDurable();
        long atBookies = newestLedger();
        StockBookie dying = bookies.stream()
                .filter(bookie -> ensembles(atBookies).getFirst().contains(bookie.id()))
                .findFirst()
                .orElseThrow();
        // while appends are on their way
        append(FRAMES, appends, ledger);
        dying.close();
        append(2 * FRAMES, appends, ledger);
        appends.allDurable();
        // two of three are enough for an answer, so the third may be replaced after it
        await().untilAsserted(() -> assertThat(ensembles(atBookies).getLast()).doesNotContain(dying.id()));
        append(3 * FRAMES, appends, ledger);
        appends.allDurable();
        assertThat(replay(open(1), ledger.ledger())).containsExactlyElementsOf(appended());

        // it comes back, with what it had, and is as good as any other
        bookies.set(bookies.indexOf(dying), dying.startAgain(metadata));
        assertThat(replay(open(1), ledger.ledger())).containsExactlyElementsOf(appended());
    }

    /** A writer closes its ledger when it finds that it is fenced, sometimes before the recovery has done so. */
    @Test
    void aLedgerEndsWhereItWasClosedWhoeverClosedIt() throws Exception {
        for (int container = 0; container < FENCED; container++) {
            LedgerWriter ledger = open(container).startLedger();
            Appends appends = new Appends();
            for (int i = 0; i < 20; i++) {
                appends.append(ledger, frame(i, 5_000));
            }
            Wal owner = open(container);
            List<byte[]> first = replay(owner, ledger.ledger());
            assertThat(replay(owner, ledger.ledger())).hasSameSizeAs(first);
            assertThat(replay(open(container), ledger.ledger())).hasSameSizeAs(first);
            assertThat(first).hasSizeGreaterThanOrEqualTo(appends.acknowledged());
        }
    }

    private static void append(int from, Appends appends, LedgerWriter ledger) {
        for (int i = from; i < from + FRAMES; i++) {
            appends.append(ledger, frame(i, FRAME_BYTES));
        }
    }

    private static List<byte[]> appended() {
        return IntStream.range(0, 4 * FRAMES)
                .mapToObj(i -> bytes(i, FRAME_BYTES))
                .toList();
    }

    /** The newest ledger's number at the bookies, where logs of all tests are. */
    private static long newestLedger() throws IOException {
        LedgerManager.LedgerRangeIterator ranges =
                clients.clients().others().getLedgerManager().getLedgerRanges(0);
        long newest = -1;
        while (ranges.hasNext()) {
            newest = Math.max(newest, ranges.next().end());
        }
        return newest;
    }

    /** Which bookies have the ledger's frames; another set from each frame on at which one had to be replaced. */
    private static List<List<BookieId>> ensembles(long ledger) {
        LedgerMetadata known = clients.clients()
                .others()
                .getLedgerManager()
                .readLedgerMetadata(ledger)
                .join()
                .getValue();
        return known.getAllEnsembles().values().stream().map(List::copyOf).toList();
    }
}
