package io.sluice.bookie.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.bookkeeper.BookKeeperClients;
import io.sluice.store.wal.bookkeeper.BookKeeperSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.bookkeeper.bookie.Bookie;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.LedgerStorage;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerMetadataBuilder;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.proto.BookieProtocol;
import org.apache.bookkeeper.proto.BookkeeperInternalCallbacks.WriteCallback;
import org.apache.bookkeeper.proto.DataFormats;
import org.apache.bookkeeper.proto.checksum.DigestManager;
import org.apache.bookkeeper.util.ByteBufList;
import org.apache.bookkeeper.versioning.Version;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a bookie of a cluster must answer, whichever storage it has. One bookie for all tests, each of which has a ledger that is spread over
 * three bookies, so that this one may have any entries of it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BookieContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final byte[] PASSWORD = {1, 2, 3};

    private String url;
    private PulsarMetadata metadata;
    private BookKeeperClients clients;
    private RunningBookie running;
    private byte[] masterKey;
    private long ledger = 100;

    protected abstract RunningBookie.Kind kind();

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        masterKey = DigestManager.generateMasterKey(PASSWORD);
        url = "rocksdb:" + folder.resolve("metadata");
        metadata = PulsarMetadata.open(url, Duration.ofSeconds(10));
        running = RunningBookie.start(kind(), folder.resolve("bookie"), url);
        clients = BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT);
    }

    @AfterAll
    void stop() throws Exception {
        clients.close();
        running.close();
        metadata.close();
    }

    @BeforeEach
    void createLedger() throws Exception {
        ledger++;
        LedgerMetadata created = LedgerMetadataBuilder.create()
                .withId(ledger)
                .withEnsembleSize(3)
                .withWriteQuorumSize(3)
                .withAckQuorumSize(2)
                .withDigestType(DigestType.CRC32C)
                .withPassword(PASSWORD)
                .newEnsembleEntry(0, List.of(running.id(), BookieId.parse("other-1"), BookieId.parse("other-2")))
                .build();
        ledgers().createLedgerMetadata(ledger, created).get(30, TimeUnit.SECONDS);
    }

    private LedgerManager ledgers() {
        return clients.clients().others().getLedgerManager();
    }

    /** Whether it has registered as one that is only read. */
    protected final boolean registeredReadOnly() throws Exception {
        return metadata.store()
                .get("/ledgers/available/readonly/" + running.id())
                .get(30, TimeUnit.SECONDS)
                .isPresent();
    }

    protected final BookieImpl bookie() {
        return running.bookie();
    }

    private LedgerStorage storage() {
        return bookie().getLedgerStorage();
    }

    protected final void restart() throws Exception {
        running.close();
        running = running.startAgain(url);
    }

    /** Ours, with so much of the disk for others. */
    protected final void restart(long minFreeBytes) throws Exception {
        running.close();
        running = running.startAgain(url, minFreeBytes);
    }

    /** As autorecovery copies them, of ledgers that other nodes wrote. */
    @Test
    void entriesThatAreCopiedToItInAnyOrderAreListedAndRead() throws Exception {
        for (long entry : new long[] {5, 3, 9, 0}) {
            recoveryAdd(entry);
        }
        for (int start = 0; start < 2; start++) {
            assertThat(listed()).containsExactly(0L, 3L, 5L, 9L);
            for (long entry : listed()) {
                assertThat(read(entry)).isEqualTo(content(entry));
            }
            assertThat(read(BookieProtocol.LAST_ADD_CONFIRMED)).isEqualTo(content(9));
            assertThatThrownBy(() -> read(4)).isInstanceOf(Bookie.NoEntryException.class);
            assertThatThrownBy(() -> read(10)).isInstanceOf(Bookie.NoEntryException.class);
            assertThat(storage().entryExists(ledger, 3)).isTrue();
            assertThat(storage().entryExists(ledger, 4)).isFalse();
            restart();
        }
        recoveryAdd(4);
        assertThat(listed()).containsExactly(0L, 3L, 4L, 5L, 9L);
    }

    @Test
    void aFencedLedgerTakesWhatIsCopiedAndNothingElse() throws Exception {
        add(0, false);
        assertThat(bookie().fenceLedger(ledger, masterKey).get(30, TimeUnit.SECONDS))
                .isTrue();
        for (int start = 0; start < 2; start++) {
            assertThatThrownBy(() -> add(1, false)).isInstanceOf(BookieException.LedgerFencedException.class);
            recoveryAdd(1 + start);
            assertThat(storage().isFenced(ledger)).isTrue();
            restart();
        }
        assertThat(listed()).containsExactly(0L, 1L, 2L);
    }

    @Test
    void theExplicitLastConfirmedIsKept() throws Exception {
        add(0, false);
        assertThat(bookie().getExplicitLac(ledger)).isNull();
        ByteBuf lac = Unpooled.buffer().writeLong(ledger).writeLong(0);
        var set = new CompletableFuture<Integer>();
        bookie().setExplicitLac(lac.copy(), completing(set), null, masterKey);
        assertThat(set.get(30, TimeUnit.SECONDS)).isEqualTo(BKException.Code.OK);
        for (int start = 0; start < 2; start++) {
            ByteBuf found = bookie().getExplicitLac(ledger);
            assertThat(found).isEqualTo(lac);
            found.release();
            restart();
        }
        lac.release();
    }

    /** The sync of entries that were acknowledged before it; asked for by any client. */
    @Test
    void entriesThatWereAcknowledgedEarlyAreForced() throws Exception {
        add(0, true);
        add(1, true);
        var forced = new CompletableFuture<Integer>();
        bookie().forceLedger(ledger, completing(forced), null);
        assertThat(forced.get(30, TimeUnit.SECONDS)).isEqualTo(BKException.Code.OK);
        restart();
        assertThat(listed()).containsExactly(0L, 1L);
    }

    @Test
    void whatIsNotHereIsSaid() throws Exception {
        assertThatThrownBy(() -> read(0)).isInstanceOf(Bookie.NoLedgerException.class);
        assertThatThrownBy(() -> storage().isFenced(ledger)).isInstanceOf(Bookie.NoLedgerException.class);
        assertThat(storage().ledgerExists(ledger)).isFalse();
        add(0, false);
        assertThat(storage().ledgerExists(ledger)).isTrue();
        byte[] another = DigestManager.generateMasterKey(new byte[] {9});
        assertThatThrownBy(
                        () -> bookie().addEntry(entry(1), false, completing(new CompletableFuture<>()), null, another))
                .isInstanceOf(BookieException.class);
    }

    /** A ledger of which a replaced disk may have lost anything: what is here is true, of all else nothing is known. */
    @Test
    void inLimboNothingIsDenied() throws Exception {
        add(0, false);
        storage().setLimboState(ledger);
        for (int start = 0; start < 2; start++) {
            assertThat(storage().hasLimboState(ledger)).isTrue();
            assertThat(read(0)).isEqualTo(content(0));
            assertThatThrownBy(() -> read(1)).isInstanceOf(BookieException.DataUnknownException.class);
            assertThatThrownBy(() -> read(BookieProtocol.LAST_ADD_CONFIRMED))
                    .isInstanceOf(BookieException.DataUnknownException.class);
            assertThatThrownBy(() -> storage().isFenced(ledger))
                    .isInstanceOf(BookieException.DataUnknownException.class);
            assertThatThrownBy(() -> storage().getLastAddConfirmed(ledger))
                    .isInstanceOf(BookieException.DataUnknownException.class);
            storage().flush();
            restart();
        }
        storage().clearLimboState(ledger);
        assertThat(storage().hasLimboState(ledger)).isFalse();
        assertThatThrownBy(() -> read(1)).isInstanceOf(Bookie.NoEntryException.class);
        assertThat(storage().isFenced(ledger)).isFalse();
    }

    @Test
    void stateOfTheWholeStorageIsKept() throws Exception {
        assertThat(storage().getStorageStateFlags()).isEmpty();
        storage().setStorageStateFlag(LedgerStorage.StorageState.NEEDS_INTEGRITY_CHECK);
        restart();
        assertThat(storage().getStorageStateFlags()).containsExactly(LedgerStorage.StorageState.NEEDS_INTEGRITY_CHECK);
        storage().clearStorageStateFlag(LedgerStorage.StorageState.NEEDS_INTEGRITY_CHECK);
        assertThat(storage().getStorageStateFlags()).isEmpty();
    }

    @Test
    void aLedgerThatTheMetadataHasNoMoreIsDeletedAndNoOther() throws Exception {
        add(0, false);
        long deleted = ledger;
        createLedger();
        add(0, false);
        ledgers().removeLedgerMetadata(deleted, Version.ANY).get(30, TimeUnit.SECONDS);
        await().atMost(PATIENCE).until(() -> !storage().ledgerExists(deleted));
        assertThat(listed()).containsExactly(0L);
    }

    protected final void add(long entry, boolean beforeSync) throws Exception {
        var added = new CompletableFuture<Integer>();
        bookie().addEntry(entry(entry), beforeSync, completing(added), null, masterKey);
        assertThat(added.get(30, TimeUnit.SECONDS)).isEqualTo(BKException.Code.OK);
    }

    private void recoveryAdd(long entry) throws Exception {
        var added = new CompletableFuture<Integer>();
        bookie().recoveryAddEntry(entry(entry), completing(added), null, masterKey);
        assertThat(added.get(30, TimeUnit.SECONDS)).isEqualTo(BKException.Code.OK);
    }

    private static WriteCallback completing(CompletableFuture<Integer> result) {
        return (code, ledger, entry, address, context) -> result.complete(code);
    }

    /** Entries of the first twenty that can be read; ours lists the same, which {@code DbLedgerStorage} cannot. */
    protected final List<Long> listed() throws Exception {
        List<Long> readable = new ArrayList<>();
        for (long entry = 0; entry < 20; entry++) {
            try {
                read(entry);
                readable.add(entry);
            } catch (Bookie.NoEntryException notHere) {
                continue;
            }
        }
        if (kind().isOurs()) {
            List<Long> entries = new ArrayList<>();
            bookie().getListOfEntriesOfLedger(ledger).forEachRemaining((LongConsumer) entries::add);
            assertThat(entries).isEqualTo(readable);
        }
        return readable;
    }

    protected final String read(long entry) throws Exception {
        ByteBuf found = bookie().readEntry(ledger, entry);
        try {
            long number = found.getLong(found.readerIndex() + Long.BYTES);
            ByteBuf data = digests().verifyDigestAndReturnData(number, found.retain());
            try {
                return data.toString(UTF_8);
            } finally {
                data.release();
            }
        } finally {
            found.release();
        }
    }

    protected final String content(long entry) {
        return "entry " + entry + " of " + ledger;
    }

    private DigestManager digests() throws Exception {
        return DigestManager.instantiate(
                ledger,
                PASSWORD,
                DataFormats.LedgerMetadataFormat.DigestType.CRC32C,
                PooledByteBufAllocator.DEFAULT,
                false);
    }

    /** As a client sends it. */
    private ByteBuf entry(long number) throws Exception {
        ByteBuf content = Unpooled.copiedBuffer(content(number), UTF_8);
        ByteBufList packed = (ByteBufList) digests()
                .computeDigestAndPackageForSending(
                        number, number - 1, (number + 1) * content.readableBytes(), content, masterKey, 0);
        try {
            return Unpooled.copiedBuffer(packed.getBuffer(0), packed.getBuffer(1));
        } finally {
            packed.release();
        }
    }
}
