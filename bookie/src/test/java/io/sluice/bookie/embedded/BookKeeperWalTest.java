package io.sluice.bookie.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalContract;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.WalStore;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The log on one embedded bookie; every test is a cluster of its own. */
final class BookKeeperWalTest extends WalContract {
    @TempDir
    private static Path folder;

    private static Bookie bookie;

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final String clusterId = UUID.randomUUID().toString();

    @BeforeAll
    static void start() throws IOException {
        bookie = Bookie.start(folder);
    }

    @AfterAll
    static void stop() {
        bookie.close();
    }

    @Override
    protected BookKeeperWalStore connect() {
        return new BookKeeperWalStore(
                bookie.embedded().clients(), metadata, LedgerSettings.STANDALONE, clusterId, "node");
    }

    private static BookKeeper client() {
        return bookie.embedded().clients().others();
    }

    @Test
    void twoOwnersNeverBothHaveAppendsAcknowledged() throws Exception {
        try (WalStore one = connect();
                WalStore two = connect()) {
            LedgerWriter ledger = one.open(3).startLedger();
            assertThat(append(ledger)).isNull();
            Wal taken = two.open(3);
            assertThat(append(ledger)).isInstanceOf(WalException.Fenced.class);
            assertThat(append(ledger)).isInstanceOf(WalException.Fenced.class);
            assertThat(append(taken.startLedger())).isNull();
        }
    }

    @Test
    void pipelinedAppendsAllFailOnceTheFirstIsFenced() throws Exception {
        try (WalStore one = connect();
                WalStore two = connect()) {
            LedgerWriter ledger = one.open(3).startLedger();
            two.open(3);
            List<CompletableFuture<WalException>> outcomes = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                outcomes.add(start(ledger));
            }
            for (CompletableFuture<WalException> outcome : outcomes) {
                assertThat(outcome.get(30, TimeUnit.SECONDS)).isInstanceOf(WalException.Fenced.class);
            }
        }
    }

    @Test
    void aPreviewReadsTheLogAndLetsItsOwnerGoOn() throws Exception {
        try (BookKeeperWalStore one = connect();
                BookKeeperWalStore two = connect()) {
            assertThat(two.preview(3)).isZero();
            LedgerWriter ledger = one.open(3).startLedger();
            assertThat(two.preview(3)).isZero();
            for (int i = 0; i < 120; i++) {
                assertThat(append(ledger)).isNull();
            }
            assertThat(two.preview(3)).isEqualTo(100);
            assertThat(append(ledger)).isNull();
        }
    }

    @Test
    void truncationDeletesTheLedgersOfTheBookies() throws Exception {
        try (WalStore store = connect()) {
            Wal wal = store.open(3);
            LedgerWriter first = wal.startLedger();
            append(first);
            LedgerWriter second = wal.startLedger();
            assertThat(ours()).hasSize(2);
            first.close();
            wal.truncate(second.ledger());
            assertThat(ours()).hasSize(1);
            assertThat(append(second)).isNull();
        }
    }

    @Test
    void ledgersThatNeverEnteredTheChainAreDeleted() throws Exception {
        try (WalStore store = connect()) {
            Wal dead = store.open(3);
            dead.startLedger();
            long orphan = orphan(3, dead.term());
            long ofAnother = orphan(4, 1);
            Wal wal = store.open(3);
            long underway = orphan(3, wal.term());
            wal.truncate(wal.startLedger().ledger());
            assertThat(ours()).doesNotContain(orphan).contains(ofAnother, underway);
        }
    }

    /** The listing that tells which never entered a chain is made once for all containers, and may be older than a ledger's end. */
    @Test
    void aLedgerIsDeletedOnce() throws Exception {
        try (WalStore store = connect()) {
            store.open(3).startLedger();
            store.open(4).startLedger();
            Wal third = store.open(3);
            Wal fourth = store.open(4);
            var said = new ListAppender<ILoggingEvent>();
            var library = (Logger) LoggerFactory.getLogger("org.apache.pulsar.metadata.bookkeeper.PulsarLedgerManager");
            said.start();
            library.addAppender(said);
            try {
                third.truncate(third.startLedger().ledger());
                fourth.truncate(fourth.startLedger().ledger());
            } finally {
                library.detachAppender(said);
            }
            assertThat(said.list).extracting(ILoggingEvent::getFormattedMessage).isEmpty();
            assertThat(ours()).hasSize(2);
        }
    }

    @Test
    void aDeleteThatDidNotHappenIsMadeUpByTheNextOwner() throws Exception {
        Wal wal = connect().open(3);
        wal.startLedger();
        LedgerWriter second = wal.startLedger();
        metadata.failNextPut(true);
        wal.truncate(second.ledger());
        try (WalStore next = connect()) {
            Wal reopened = next.open(3);
            assertThat(reopened.recovered()).containsExactly(second.ledger());
            reopened.truncate(reopened.startLedger().ledger());
            assertThat(ours()).hasSize(1);
        }
    }

    @Test
    void aLedgerWhosePutWasSentTwiceIsTheTermsOwn() throws Exception {
        try (WalStore store = connect()) {
            Wal wal = store.open(3);
            metadata.repeatNextPut();
            LedgerWriter ledger = wal.startLedger();
            assertThat(append(ledger)).isNull();
        }
        assertThat(recoveredByNextOwner()).hasSize(1);
        assertThat(ours()).hasSize(1);
    }

    @Test
    void aTakeOverWhosePutWasSentTwiceHolds() throws Exception {
        metadata.repeatNextPut();
        try (WalStore store = connect()) {
            Wal wal = store.open(3);
            assertThat(wal.term()).isEqualTo(1);
            assertThat(append(wal.startLedger())).isNull();
        }
    }

    @Test
    void aTruncationWhosePutWasSentTwiceGoesOn() throws Exception {
        try (WalStore store = connect()) {
            Wal wal = store.open(3);
            wal.startLedger();
            LedgerWriter second = wal.startLedger();
            metadata.repeatNextPut();
            wal.truncate(second.ledger());
            assertThat(ours()).hasSize(1);
            assertThat(append(second)).isNull();
        }
    }

    @Test
    void aLedgerThatMayBeInTheChainIsTheNextOneStarted() throws Exception {
        try (WalStore store = connect()) {
            Wal wal = store.open(3);
            metadata.failNextPut(true);
            metadata.failNextGets(1);
            assertThatThrownBy(wal::startLedger).isInstanceOf(WalException.Unavailable.class);
            LedgerWriter ledger = wal.startLedger();
            assertThat(ledger.ledger()).isEqualTo(1);
            assertThat(append(ledger)).isNull();
        }
        assertThat(recoveredByNextOwner()).hasSize(1);
        assertThat(ours()).hasSize(1);
    }

    @Test
    void aLedgerThatTheNextOwnerFoundInTheChainStays() throws Exception {
        try (WalStore one = connect();
                WalStore two = connect()) {
            Wal wal = one.open(3);
            metadata.failNextPut(true);
            metadata.failNextGets(1);
            assertThatThrownBy(wal::startLedger).isInstanceOf(WalException.Unavailable.class);
            assertThat(two.open(3).recovered()).hasSize(1);
            assertThatThrownBy(wal::startLedger).isInstanceOf(WalException.Fenced.class);
        }
        assertThat(recoveredByNextOwner()).hasSize(1);
        assertThat(ours()).hasSize(1);
    }

    private List<Long> recoveredByNextOwner() throws Exception {
        try (WalStore store = connect()) {
            Wal wal = store.open(3);
            for (long ledger : wal.recovered()) {
                wal.replay(ledger, frame -> {});
            }
            return wal.recovered();
        }
    }

    @Test
    void aClosedWriterTakesNoMore() throws Exception {
        try (WalStore store = connect()) {
            LedgerWriter ledger = store.open(3).startLedger();
            append(ledger);
            ledger.close();
            assertThat(append(ledger)).isInstanceOf(WalException.Unavailable.class);
        }
    }

    @Test
    void aLedgerOutsideTheChainIsRefused() throws Exception {
        try (WalStore store = connect()) {
            Wal wal = store.open(3);
            assertThatThrownBy(() -> wal.replay(77, frame -> {})).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** A ledger as {@code startLedger} leaves it when the process dies before the chain is written. */
    private long orphan(int container, long term) throws Exception {
        try (WriteHandle handle = client().newCreateLedgerOp()
                .withEnsembleSize(1)
                .withWriteQuorumSize(1)
                .withAckQuorumSize(1)
                .withDigestType(DigestType.CRC32C)
                .withPassword(clusterId.getBytes(UTF_8))
                .withCustomMetadata(Map.of(
                        "sluice-cluster", clusterId.getBytes(UTF_8),
                        "sluice-container", Integer.toString(container).getBytes(UTF_8),
                        "sluice-term", Long.toString(term).getBytes(UTF_8)))
                .execute()
                .get(30, TimeUnit.SECONDS)) {
            return handle.getId();
        }
    }

    private List<Long> ours() throws Exception {
        List<Long> ours = new ArrayList<>();
        for (long ledgerId :
                client().newListLedgersOp().execute().get(30, TimeUnit.SECONDS).toIterable()) {
            byte[] tag = client().getLedgerMetadata(ledgerId)
                    .get(30, TimeUnit.SECONDS)
                    .getCustomMetadata()
                    .get("sluice-cluster");
            if (tag != null && new String(tag, UTF_8).equals(clusterId)) {
                ours.add(ledgerId);
            }
        }
        return ours;
    }

    private static WalException append(LedgerWriter ledger) throws Exception {
        return start(ledger).get(30, TimeUnit.SECONDS);
    }

    private static CompletableFuture<WalException> start(LedgerWriter ledger) {
        CompletableFuture<WalException> outcome = new CompletableFuture<>();
        ByteBuf frame = Unpooled.directBuffer(1000).writeZero(1000);
        ledger.append(frame, new LedgerWriter.Callback() {
            @Override
            public void durable() {
                frame.release();
                outcome.complete(null);
            }

            @Override
            public void failed(WalException why) {
                frame.release();
                outcome.complete(why);
            }
        });
        return outcome;
    }
}
