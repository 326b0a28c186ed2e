package io.sluice.store.wal.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.wal.Durability;
import io.sluice.store.wal.Durability.Copies;
import io.sluice.store.wal.WalException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteFlag;
import org.apache.bookkeeper.net.BookieId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ledgers of one cluster: created with its tags, opened with fencing, deleted. Blocks, with a deadline. */
final class BookKeeperLedgers {
    private static final Logger log = LoggerFactory.getLogger(BookKeeperLedgers.class);

    private static final String CLUSTER_TAG = "sluice-cluster";
    private static final String CONTAINER_TAG = "sluice-container";
    private static final String TERM_TAG = "sluice-term";
    private static final byte[] TRIAL = "trial".getBytes(UTF_8);
    private static final EnumSet<WriteFlag> DEFERRED = EnumSet.of(WriteFlag.DEFERRED_SYNC);

    private final LedgerClients clients;
    private final LedgerSettings settings;
    private final byte[] cluster;
    private final AtomicInteger bookiesOfNewest;
    private final WritableBookies bookies;

    BookKeeperLedgers(LedgerClients clients, LedgerSettings settings, String clusterId) {
        this.bookiesOfNewest = new AtomicInteger(settings.ensemble());
        this.clients = clients;
        this.bookies = WritableBookies.of(clients.creating());
        this.settings = settings;
        this.cluster = clusterId.getBytes(UTF_8);
    }

    /**
     * Creates a ledger on as many bookies as the settings say, or, while there are not so many, on fewer: as many as have to acknowledge a write
     * at least. The tags tell to whom a ledger belongs that a crash kept from the chain.
     */
    LedgerHandle create(int container, long term, Durability durability) throws WalException {
        Map<String, byte[]> tags = Map.of(
                CLUSTER_TAG, cluster,
                CONTAINER_TAG, Integer.toString(container).getBytes(UTF_8),
                TERM_TAG, Long.toString(term).getBytes(UTF_8));
        int acks = durability.copies() == Copies.ONE ? 1 : settings.ackQuorum();
        for (int ensemble = settings.ensemble(); ; ensemble--) {
            try {
                LedgerHandle created = create(tags, ensemble, acks, durability);
                tellBookies(ensemble);
                return created;
            } catch (WalException e) {
                if (ensemble == acks || !isForLackOfBookies(e)) {
                    throw e;
                }
            }
        }
    }

    /** Bookies that take writes; another object when they change. */
    Set<BookieId> writableBookies() {
        return bookies.now();
    }

    /** Whether a new ledger would be on better bookies. */
    boolean wouldBeBetterPlaced(LedgerHandle ledger, Set<BookieId> writable) {
        LedgerMetadata its = ledger.getLedgerMetadata();
        return WritableBookies.areBetter(
                writable, its.getAllEnsembles().lastEntry().getValue(), settings.ensemble(), its.getAckQuorumSize());
    }

    /** Begins to {@link #create} a ledger; returns at once. */
    CompletableFuture<LedgerHandle> begin(int container, long term, Durability durability) {
        var created = new CompletableFuture<LedgerHandle>();
        Thread.ofVirtual().name("create-ledger-" + container).start(() -> {
            try {
                created.complete(create(container, term, durability));
            } catch (Throwable e) { // whatever it is, who waits is told
                created.completeExceptionally(e);
            }
        });
        return created;
    }

    /** Deletes a ledger that never entered a chain. If that fails it stays until {@link OrphanLedgers} finds it; so this does not fail. */
    CompletableFuture<?> discard(CompletableFuture<LedgerHandle> unused) {
        return unused.thenCompose(ledger -> delete(ledger.getId())).exceptionally(failure -> {
            log.debug("A ledger that was not used is not there, or not deleted: {}", failure.toString());
            return null;
        });
    }

    /** Writes one entry to a ledger that is made for it, and deletes it again whatever comes of it; returns at once. */
    CompletableFuture<Void> tryWriting(int container, long term, Durability durability) {
        return begin(container, term, durability)
                .thenCompose(ledger -> ledger.appendAsync(TRIAL).handle((entry, failure) -> {
                    ledger.closeAsync()
                            .whenComplete((closed, not) -> discard(CompletableFuture.completedFuture(ledger)));
                    if (failure != null) {
                        throw new CompletionException(unwrapped(failure));
                    }
                    return null;
                }));
    }

    /** Reads the newest entry of a ledger that anyone may be writing to, without fencing it; returns at once. */
    CompletableFuture<Void> tryReading(long ledgerId) {
        return look(ledgerId)
                .thenCompose(ledger -> newest(ledger)
                        .thenCompose(last -> last < 0
                                ? CompletableFuture.<Void>completedFuture(null)
                                : ledger.readAsync(last, last).thenAccept(LedgerEntries::close))
                        .whenComplete((read, failure) -> ledger.closeAsync()));
    }

    private static CompletableFuture<Long> newest(ReadHandle ledger) {
        return ledger.isClosed()
                ? CompletableFuture.completedFuture(ledger.getLastAddConfirmed())
                : ledger.readLastAddConfirmedAsync();
    }

    /** Version 2 of the wire protocol cannot defer. */
    private LedgerHandle create(Map<String, byte[]> tags, int ensemble, int acks, Durability durability)
            throws WalException {
        return (LedgerHandle) await(
                "cannot create a ledger",
                (durability.defersSync() ? clients.others() : clients.creating())
                        .newCreateLedgerOp()
                        .withEnsembleSize(ensemble)
                        .withWriteQuorumSize(Math.min(settings.writeQuorum(), ensemble))
                        .withAckQuorumSize(acks)
                        .withWriteFlags(durability.defersSync() ? DEFERRED : WriteFlag.NONE)
                        .withDigestType(settings.digest().type())
                        .withPassword(cluster)
                        .withCustomMetadata(tags)
                        .execute());
    }

    private static boolean isForLackOfBookies(WalException failure) {
        return failure.getCause() instanceof BKException bookkeeper
                && bookkeeper.getCode() == BKException.Code.NotEnoughBookiesException;
    }

    /** Once for each change. */
    private void tellBookies(int ensemble) {
        if (bookiesOfNewest.getAndSet(ensemble) != ensemble) {
            if (ensemble < settings.ensemble()) {
                log.warn(
                        "Only {} of the {} bookies that a piece of the log should be on take writes: new pieces are on those, until there"
                                + " are more",
                        ensemble,
                        settings.ensemble());
            } else {
                log.info("New pieces of the log are on {} bookies again", ensemble);
            }
        }
    }

    OpenLedger open(LedgerHandle created, OpenLedger.Answers to) {
        return clients.opener().open(created, cluster, to);
    }

    boolean hasRoom() {
        return clients.opener().hasRoom();
    }

    /** Opening with recovery is what fences: from then on no append of the ledger's writer is acknowledged. */
    CompletableFuture<ReadHandle> fence(long ledgerId) {
        return clients.creating()
                .newOpenLedgerOp()
                .withLedgerId(ledgerId)
                .withRecovery(true)
                .withDigestType(settings.digest().type())
                .withPassword(cluster)
                .execute();
    }

    /** Opens a ledger that another process may be writing, which goes on; up to what it has confirmed. */
    CompletableFuture<ReadHandle> look(long ledgerId) {
        return clients.creating()
                .newOpenLedgerOp()
                .withLedgerId(ledgerId)
                .withRecovery(false)
                .withDigestType(settings.digest().type())
                .withPassword(cluster)
                .execute();
    }

    /** @param last included */
    CompletableFuture<LedgerEntries> read(ReadHandle fenced, long first, long last) {
        return clients.reads().read(fenced, cluster, first, last);
    }

    /** Completes normally, too, if the ledger is already gone. */
    CompletableFuture<Void> delete(long ledgerId) {
        return clients.others()
                .newDeleteLedgerOp()
                .withLedgerId(ledgerId)
                .execute()
                .handle((deleted, failure) -> {
                    if (failure != null && !isGone(unwrapped(failure))) {
                        throw new CompletionException(unwrapped(failure));
                    }
                    return deleted;
                });
    }

    /** Receives the ledgers of this cluster. */
    interface TagReader {
        void tagged(long ledgerId, int container, long term);
    }

    /** Reads the tags of every ledger of this cluster, one metadata read for each. */
    void forEach(TagReader reader) throws WalException {
        for (long ledgerId : list()) {
            LedgerMetadata metadata = metadata(ledgerId);
            if (metadata == null) {
                continue;
            }
            Map<String, byte[]> tags = metadata.getCustomMetadata();
            byte[] container = tags.get(CONTAINER_TAG);
            byte[] term = tags.get(TERM_TAG);
            if (container != null && term != null && Arrays.equals(cluster, tags.get(CLUSTER_TAG))) {
                reader.tagged(
                        ledgerId,
                        Integer.parseInt(new String(container, UTF_8)),
                        Long.parseLong(new String(term, UTF_8)));
            }
        }
    }

    /** Number of ledgers that have entries on the bookie, of all clusters; one metadata read for each that there is. */
    int countOn(BookieId bookie) throws WalException {
        int found = 0;
        for (long ledgerId : list()) {
            LedgerMetadata metadata = metadata(ledgerId);
            if (metadata != null
                    && metadata.getAllEnsembles().values().stream().anyMatch(ensemble -> ensemble.contains(bookie))) {
                found++;
            }
        }
        return found;
    }

    /** Null if the ledger was deleted meanwhile. */
    private @Nullable LedgerMetadata metadata(long ledgerId) throws WalException {
        try {
            return await("cannot read a ledger's metadata", clients.others().getLedgerMetadata(ledgerId));
        } catch (WalException.Corrupt deleted) {
            return null;
        }
    }

    /** Ids of all clusters' ledgers. BookKeeper's iterator wraps what goes wrong on its way into a RuntimeException. */
    private List<Long> list() throws WalException {
        List<Long> ids = new ArrayList<>();
        try {
            await("cannot list ledgers", clients.others().newListLedgersOp().execute())
                    .toIterable()
                    .forEach(ids::add);
        } catch (RuntimeException e) {
            throw new WalException.Unavailable("cannot list ledgers: " + e.getMessage(), e);
        }
        return ids;
    }

    LedgerSettings settings() {
        return settings;
    }

    <T> T await(String what, CompletableFuture<T> result) throws WalException {
        try {
            return result.get(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = unwrapped(e);
            if (cause instanceof BKException bookkeeper) {
                throw LedgerFailures.of(what, bookkeeper);
            }
            if (cause instanceof WalException known) {
                throw known;
            }
            throw new WalException.Unavailable(what + ": " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new WalException.Unavailable(what + ": no answer within " + settings.timeout(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WalException.Unavailable(what + ": interrupted", e);
        }
    }

    private static boolean isGone(Throwable failure) {
        return failure instanceof BKException bookkeeper
                && (bookkeeper.getCode() == BKException.Code.NoSuchLedgerExistsException
                        || bookkeeper.getCode() == BKException.Code.NoSuchLedgerExistsOnMetadataServerException);
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        boolean wrapper = failure instanceof ExecutionException || failure instanceof CompletionException;
        return wrapper && cause != null ? unwrapped(cause) : failure;
    }
}
