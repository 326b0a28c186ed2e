package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.FrameReader;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One container's chain in one term. */
final class BookKeeperWal implements Wal {
    private static final Logger log = LoggerFactory.getLogger(BookKeeperWal.class);

    private final int container;
    private final ChainRecord record;
    private final BookKeeperLedgers ledgers;
    private final OrphanLedgers orphans;
    private final long opened;
    private final Map<Long, ReadHandle> recovered;
    private final List<Long> recoveredNumbers;
    private final Consumer<BookKeeperWal> onClose;
    private final Set<BookKeeperLedgerWriter> writers = ConcurrentHashMap.newKeySet();
    /** Created, and perhaps in the stored chain: the next ledger to start. */
    private @Nullable LedgerHandle unconfirmed;
    /** Doomed ledgers that are being deleted. */
    private final Set<Long> deleting = ConcurrentHashMap.newKeySet();
    /** Doomed ledgers that are gone; they leave the record with its next change. */
    private final Set<Long> deleted = ConcurrentHashMap.newKeySet();

    private boolean orphansDeleted;

    BookKeeperWal(
            int container,
            ChainRecord record,
            BookKeeperLedgers ledgers,
            OrphanLedgers orphans,
            Map<Long, ReadHandle> recovered,
            Consumer<BookKeeperWal> onClose) {
        this.container = container;
        this.record = record;
        this.ledgers = ledgers;
        this.orphans = orphans;
        this.opened = orphans.opened();
        this.recovered = new ConcurrentHashMap<>(recovered);
        this.recoveredNumbers = List.copyOf(recovered.keySet());
        this.onClose = onClose;
    }

    @Override
    public long term() {
        return record.chain().term();
    }

    @Override
    public List<Long> recovered() {
        return recoveredNumbers;
    }

    @Override
    public void replay(long ledger, FrameReader reader) throws WalException {
        ReadHandle handle = recovered.get(ledger);
        if (handle == null) {
            throw new IllegalArgumentException("ledger " + ledger + " is not one of " + recovered.keySet());
        }
        new LedgerReplay(ledgers, handle).into(reader);
    }

    @Override
    public LedgerWriter startLedger() throws WalException {
        LedgerHandle handle = unconfirmed;
        if (handle == null) {
            handle = ledgers.create(container, term());
            unconfirmed = handle;
        }
        long ledgerId = handle.getId();
        long number;
        try {
            number = record.change(chain -> chain.forget(List.copyOf(deleted)).add(ledgerId))
                    .numberOf(ledgerId);
        } catch (WalException.Fenced e) {
            unconfirmed = null;
            deleteUnlessStored(ledgerId);
            throw e;
        }
        unconfirmed = null;
        BookKeeperLedgerWriter writer = new BookKeeperLedgerWriter(ledgers, handle, number);
        writers.add(writer);
        return writer;
    }

    /** A ledger that stays is an orphan, or the next owner's. */
    private void deleteUnlessStored(long ledgerId) {
        try {
            if (!record.isStored(ledgerId)) {
                ledgers.delete(ledgerId);
            }
        } catch (IOException e) {
            log.info("container {}: ledger {} is left to the next owner: {}", container, ledgerId, e.getMessage());
        }
    }

    @Override
    public void truncate(long firstRetained) throws WalException {
        record.change(chain -> chain.forget(List.copyOf(deleted)).truncate(firstRetained));
        recovered.keySet().removeIf(number -> number < firstRetained);
        writers.removeIf(writer -> writer.ledger() < firstRetained);
        ledgers.await("cannot delete ledgers", deleteDoomed());
        record.change(chain -> chain.forget(List.copyOf(deleted)));
        deleteOrphans();
    }

    /** Starts the deletes. One that fails stays doomed and is tried again by the next truncation or owner. */
    CompletableFuture<Void> deleteDoomed() {
        CompletableFuture<?>[] deletes = record.chain().doomed().stream()
                .filter(ledgerId -> !deleted.contains(ledgerId) && deleting.add(ledgerId))
                .map(ledgerId -> ledgers.delete(ledgerId).handle((gone, failure) -> {
                    deleting.remove(ledgerId);
                    if (failure == null) {
                        deleted.add(ledgerId);
                    } else {
                        log.warn(
                                "container {}: ledger {} is not deleted yet: {}",
                                container,
                                ledgerId,
                                failure.toString());
                    }
                    return gone;
                }))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(deletes);
    }

    private void deleteOrphans() throws WalException {
        if (orphansDeleted) {
            return;
        }
        for (long ledgerId : orphans.of(container, opened, record.chain())) {
            log.info("container {}: deleting ledger {}, which never entered the chain", container, ledgerId);
            ledgers.await("cannot delete ledger " + ledgerId, ledgers.delete(ledgerId));
        }
        orphansDeleted = true;
    }

    @Override
    public void close() {
        onClose.accept(this);
        CompletableFuture<?>[] closing =
                writers.stream().map(BookKeeperLedgerWriter::abandon).toArray(CompletableFuture[]::new);
        try {
            ledgers.await("cannot close the log", CompletableFuture.allOf(closing));
        } catch (WalException e) {
            // The next owner closes the ledgers in its recovery.
            log.info("container {}: {}", container, e.getMessage());
        }
        recovered.values().forEach(ReadHandle::closeAsync);
        recovered.clear();
    }
}
