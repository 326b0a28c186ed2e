package io.sluice.store.wal.bookkeeper;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.WalStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.jspecify.annotations.Nullable;

/**
 * Containers' logs as chains of BookKeeper ledgers. The chain of container {@code n} is the metadata record
 * {@code /sluice/containers/n/log} ({@link LedgerChainCodec} has its bytes).
 *
 * <p>Clients and metadata belong to the caller, who closes them after this.
 */
public final class BookKeeperWalStore implements WalStore {
    /** Frames of a preview, at most. */
    private static final int PREVIEWED = 100;

    private final Metadata metadata;
    private final String nodeId;
    private final BookKeeperLedgers ledgers;
    private final OrphanLedgers orphans;
    private final Set<BookKeeperWal> open = ConcurrentHashMap.newKeySet();

    /**
     * @param clusterId tags every ledger and is its password, so that clusters sharing bookies do not mix
     * @param nodeId owner named in the chain
     */
    public BookKeeperWalStore(
            LedgerClients clients, Metadata metadata, LedgerSettings settings, String clusterId, String nodeId) {
        this.metadata = metadata;
        this.nodeId = nodeId;
        this.ledgers = new BookKeeperLedgers(clients, settings, clusterId);
        this.orphans = new OrphanLedgers(ledgers);
    }

    @Override
    public Wal open(int container, Durability durability) throws WalException {
        ChainRecord record = takeOver(container);
        var first = ledgers.begin(container, record.chain().term(), durability);
        try {
            return open(container, durability, record, first);
        } catch (WalException | RuntimeException e) {
            ledgers.discard(first);
            throw e;
        }
    }

    /**
     * Reads the end of a container's log as another process writes it: connections to the bookies are there when a container comes here, and so is
     * the code of a recovery, which takes two to three times as long in a process that has never done it. Changes and fences nothing; blocks.
     *
     * @return frames that were read; 0 of a log without any
     */
    public int preview(int container) throws IOException, WalException {
        StoredChain chain = StoredChain.read(metadata, container);
        if (chain == null || chain.ledgers().isEmpty()) {
            return 0;
        }
        String what = "cannot read the log of container " + container;
        ReadHandle newest =
                ledgers.await(what, ledgers.look(chain.ledgers().getLast().id()));
        try {
            long last = newest.getLastAddConfirmed();
            return last < 0
                    ? 0
                    : count(ledgers.await(what, ledgers.read(newest, Math.max(0, last - PREVIEWED + 1), last)));
        } finally {
            newest.closeAsync();
        }
    }

    private static int count(LedgerEntries entries) {
        int frames = 0;
        try (entries) {
            for (LedgerEntry each : entries) {
                frames += each.getEntryBuffer().isReadable() ? 1 : 0;
            }
        }
        return frames;
    }

    @Override
    public void delete(int container) throws WalException {
        if (ChainRecord.exists(metadata, container)) {
            ChainRecord record = takeOver(container);
            try (BookKeeperWal wal = open(container, Durability.DEFAULT, record, null)) {
                wal.truncate(Long.MAX_VALUE);
            }
            record.delete();
        }
    }

    private ChainRecord takeOver(int container) throws WalException {
        return ChainRecord.takeOver(metadata, container, nodeId + "#" + UUID.randomUUID(), new ReentrantLock());
    }

    private BookKeeperWal open(
            int container, Durability durability, ChainRecord record, @Nullable CompletableFuture<LedgerHandle> first)
            throws WalException {
        Map<Long, ReadHandle> fenced = fence(record.chain());
        var wal = new BookKeeperWal(container, durability, record, ledgers, orphans, fenced, first, open::remove);
        open.add(wal);
        wal.deleteDoomed();
        return wal;
    }

    /** All at once: a ledger that was closed costs one metadata read, an open one a recovery. */
    private Map<Long, ReadHandle> fence(LedgerChain chain) throws WalException {
        List<CompletableFuture<ReadHandle>> opening = new ArrayList<>();
        for (LedgerChain.Link link : chain.ledgers()) {
            opening.add(ledgers.fence(link.ledgerId()));
        }
        Map<Long, ReadHandle> fenced = new LinkedHashMap<>();
        try {
            for (int i = 0; i < opening.size(); i++) {
                LedgerChain.Link link = chain.ledgers().get(i);
                String what = "cannot take over ledger " + link.number();
                fenced.put(link.number(), ledgers.await(what, opening.get(i)));
            }
        } catch (WalException e) {
            opening.forEach(handle -> handle.thenAccept(ReadHandle::closeAsync));
            throw e;
        }
        return fenced;
    }

    @Override
    public boolean takesAppends() {
        return ledgers.hasRoom();
    }

    @Override
    public Set<Integer> reachable(Map<Integer, Durability> containers, Duration atMost) throws WalException {
        return new ReachedLogs(metadata, ledgers).of(containers, atMost);
    }

    @Override
    public void close() {
        open.forEach(BookKeeperWal::close);
    }
}
