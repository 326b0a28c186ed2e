package io.sluice.bookie.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.TestZooKeeper;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalContract;
import io.sluice.store.wal.WalException;
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
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.net.BookieId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The log on bookies over sockets, two as they come and two of ours, three of these four at a time; their metadata is in a ZooKeeper.
 */
final class MixedBookiesTest extends WalContract {
    private static final LedgerSettings THREE = LedgerSettings.REPLICATED;

    /** Ledgers that are fenced while they are appended to. */
    private static final int FENCED = Integer.getInteger("sluice.fenced.ledgers", 40);

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int FRAMES = 100;
    private static final int FRAME_BYTES = 20_000;

    @TempDir
    private static Path folder;

    private static final List<RunningBookie> bookies = new ArrayList<>();
    private static TestZooKeeper zooKeeper;
    private static PulsarMetadata metadata;
    private static BookKeeperClients clients;
    private static int started;

    private final InMemoryMetadata chains = new InMemoryMetadata();
    private final String clusterId = UUID.randomUUID().toString();

    @BeforeAll
    static void start() throws Exception {
        zooKeeper = new TestZooKeeper(folder.resolve("zookeeper"));
        metadata = PulsarMetadata.open(zooKeeper.metadataUrl(), Duration.ofSeconds(10));
        for (int i = 0; i <= THREE.ensemble(); i++) {
            start(i % 2 == 0 ? RunningBookie.Kind.STOCK : RunningBookie.Kind.OURS);
        }
        clients = BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT.with(THREE));
    }

    private static RunningBookie start(RunningBookie.Kind kind) throws Exception {
        RunningBookie bookie =
                RunningBookie.start(kind, folder.resolve("bookie-" + started++), zooKeeper.metadataUrl());
        bookies.add(bookie);
        return bookie;
    }

    @AfterAll
    static void stop() throws Exception {
        clients.close();
        for (RunningBookie bookie : bookies) {
            bookie.close();
        }
        metadata.close();
        zooKeeper.close();
    }

    @Override
    protected WalStore connect() {
        return new BookKeeperWalStore(clients.clients(), chains, THREE, clusterId, "node");
    }

    @Test
    void aBookieThatDiesIsLeftOutOfTheNextLedgerAndNothingIsLost() throws Exception {
        Wal wal = open(1);
        LedgerWriter ledger = wal.startLedger();
        Appends appends = new Appends();
        append(0, appends, ledger);
        appends.allDurable();
        RunningBookie dying = oneOf(ensembles(newestLedger()).getFirst());
        loseWhileAppending(dying, ledger, appends);
        LedgerWriter next = wal.startLedger();
        assertThat(ensembles(newestLedger()).getFirst()).hasSize(3).doesNotContain(dying.id());
        append(3 * FRAMES, appends, next);
        appends.allDurable();
        Wal owner = open(1);
        assertThat(replay(owner, ledger.ledger()))
                .containsExactlyElementsOf(appended().subList(0, 3 * FRAMES));
        assertThat(replay(owner, next.ledger()))
                .containsExactlyElementsOf(appended().subList(3 * FRAMES, 4 * FRAMES));

        // it comes back, with what it had, and is as good as any other
        bookies.set(bookies.indexOf(dying), dying.startAgain(zooKeeper.metadataUrl()));
        assertThat(replay(open(1), ledger.ledger()))
                .containsExactlyElementsOf(appended().subList(0, 3 * FRAMES));
    }

    @Test
    void aLedgerGoesOnWithoutABookieThatNoOtherReplaces() throws Exception {
        LedgerSettings all = THREE.withQuorums(bookies.size(), bookies.size(), 2);
        try (BookKeeperWalStore wide = new BookKeeperWalStore(clients.clients(), chains, all, clusterId, "node");
                Wal wal = wide.open(1)) {
            LedgerWriter ledger = wal.startLedger();
            await().until(() -> !ledger.isToBeReplaced());
            Appends appends = new Appends();
            append(0, appends, ledger);
            appends.allDurable();
            RunningBookie dying = bookies.getFirst();
            loseWhileAppending(dying, ledger, appends);
            LedgerWriter next = wal.startLedger();
            assertThat(ensembles(newestLedger()).getFirst())
                    .hasSize(bookies.size() - 1)
                    .doesNotContain(dying.id());
            append(3 * FRAMES, appends, next);
            appends.allDurable();
            assertThat(next.isToBeReplaced()).isFalse();

            bookies.set(0, dying.startAgain(zooKeeper.metadataUrl()));
            await().atMost(Duration.ofSeconds(60)).until(next::isToBeReplaced);
            wal.startLedger();
            assertThat(ensembles(newestLedger()).getFirst()).hasSameSizeAs(bookies);
        }
    }

    /** Appends 2 x {@link #FRAMES}; two answers are enough for each. */
    private static void loseWhileAppending(RunningBookie dying, LedgerWriter ledger, Appends appends) throws Exception {
        append(FRAMES, appends, ledger);
        dying.close();
        append(2 * FRAMES, appends, ledger);
        appends.allDurable();
        await().atMost(Duration.ofSeconds(60)).until(ledger::isToBeReplaced);
    }

    @Test
    void tooFewBookiesAreAClearFailureThatMayBeTriedAgain() throws Exception {
        LedgerSettings five = THREE.withQuorums(5, 5, 5);
        try (BookKeeperWalStore wide = new BookKeeperWalStore(clients.clients(), chains, five, clusterId, "node");
                Wal wal = wide.open(1)) {
            assertThatThrownBy(wal::startLedger)
                    .isInstanceOf(WalException.Unavailable.class)
                    .hasMessageContaining("Not enough non-faulty bookies");
            RunningBookie fifth = start(RunningBookie.Kind.OURS);
            LedgerWriter ledger = await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptionsInstanceOf(WalException.Unavailable.class)
                    .until(wal::startLedger, Objects::nonNull);
            Appends appends = new Appends();
            append(0, appends, ledger);
            appends.allDurable();
            bookies.remove(fifth);
            fifth.close();
        }
    }

    /** A try leaves nothing behind, and does not disturb who writes. */
    @Test
    void logsAreReachedIfEnoughBookiesAnswer() throws Exception {
        Map<Integer, Durability> both = Map.of(21, Durability.DEFAULT, 22, Durability.ofLevel(4));
        LedgerSettings five = THREE.withQuorums(5, 5, 5);
        try (WalStore store = connect();
                WalStore wide = new BookKeeperWalStore(clients.clients(), chains, five, clusterId, "node");
                Wal wal = store.open(21)) {
            LedgerWriter ledger = wal.startLedger();
            Appends appends = new Appends();
            append(0, appends, ledger);
            int before = ledgers();
            assertThat(store.reachable(both, LONG)).containsExactly(21, 22);
            assertThat(wide.reachable(both, LONG))
                    .as("a log that waits for one copy is written with one bookie")
                    .containsExactly(22);
            append(FRAMES, appends, ledger);
            appends.allDurable();
            await().atMost(LONG).until(() -> ledgers() == before);
        }
    }

    private static int ledgers() throws IOException {
        int count = 0;
        LedgerManager.LedgerRangeIterator ranges =
                clients.clients().others().getLedgerManager().getLedgerRanges(0);
        while (ranges.hasNext()) {
            count += ranges.next().getLedgers().size();
        }
        return count;
    }

    @Test
    void aPieceOfTheLogIsOnFewerBookiesWhileThereAreFewer() throws Exception {
        LedgerSettings one = THREE.withQuorums(bookies.size() + 1, bookies.size() + 1, 2);
        try (BookKeeperWalStore wide = new BookKeeperWalStore(clients.clients(), chains, one, clusterId, "node");
                Wal wal = wide.open(1)) {
            LedgerWriter ledger = wal.startLedger();
            assertThat(ensembles(newestLedger()).getFirst()).hasSameSizeAs(bookies);
            Appends appends = new Appends();
            append(0, appends, ledger);
            appends.allDurable();
            assertThat(replay(open(1), ledger.ledger()))
                    .containsExactlyElementsOf(appended().subList(0, FRAMES));
        }
    }

    /** A bookie of ours that starts again checks only what it knows. */
    @Test
    void ledgersOfEveryDigestSurviveARestartOfTheBookies() throws Exception {
        Map<Integer, LedgerSettings.Digest> digests = Map.of(
                11, LedgerSettings.Digest.CRC32, 12, LedgerSettings.Digest.MAC, 13, LedgerSettings.Digest.CRC32C);
        for (Map.Entry<Integer, LedgerSettings.Digest> each : digests.entrySet()) {
            try (BookKeeperWalStore store = new BookKeeperWalStore(
                            clients.clients(), chains, THREE.withDigest(each.getValue()), clusterId, "node");
                    Wal wal = store.open(each.getKey())) {
                Appends appends = new Appends();
                append(0, appends, wal.startLedger());
                appends.allDurable();
            }
        }
        for (int i = 0; i < bookies.size(); i++) {
            if (bookies.get(i).kind().isOurs()) {
                bookies.get(i).close();
                bookies.set(i, bookies.get(i).startAgain(zooKeeper.metadataUrl()));
            }
        }
        for (int container : digests.keySet()) {
            Wal next = open(container);
            assertThat(replay(next, next.recovered().getLast()))
                    .containsExactlyElementsOf(appended().subList(0, FRAMES));
        }
    }

    private static RunningBookie oneOf(List<BookieId> ensemble) {
        return bookies.stream()
                .filter(bookie -> ensemble.contains(bookie.id()))
                .findFirst()
                .orElseThrow();
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
