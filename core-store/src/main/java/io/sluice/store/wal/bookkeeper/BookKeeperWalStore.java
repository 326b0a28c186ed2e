package io.sluice.store.wal.bookkeeper;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.WalStore;
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
import org.apache.bookkeeper.client.api.ReadHandle;
import org.jspecify.annotations.Nullable;

/**
 * Containers' logs as chains of BookKeeper ledgers. The chain of container {@code n} is the metadata record
 * {@code /sluice/containers/n/log} ({@link LedgerChainCodec} has its bytes).
 *
 * <p>Clients and metadata belong to the caller, who closes them after this.
 */
public final class BookKeeperWalStore implements WalStore {
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
    public void close() {
        open.forEach(BookKeeperWal::close);
    }
}
