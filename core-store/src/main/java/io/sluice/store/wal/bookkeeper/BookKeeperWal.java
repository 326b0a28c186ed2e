package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.FrameReader;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.client.api.ReadHandle;
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
        LedgerHandle handle = ledgers.create(container, term());
        long number;
        try {
            number = record.change(chain -> chain.forget(List.copyOf(deleted)).add(handle.getId()))
                    .ledgers()
                    .getLast()
                    .number();
        } catch (WalException.Fenced e) {
            ledgers.delete(handle.getId());
            throw e;
        }
        BookKeeperLedgerWriter writer = new BookKeeperLedgerWriter(ledgers, handle, number);
        writers.add(writer);
        return writer;
    }

    @Override
    public void truncate(long firstRetained) throws WalException {
        record.change(chain -> chain.forget(List.copyOf(deleted)).truncate(firstRetained));
        recovered.keySet().removeIf(number -> number < firstRetained);
        writers.removeIf(writer -> writer.ledger() < firstRetained);
        deleteDoomed().join();
        record.change(chain -> chain.forget(List.copyOf(deleted)));
        deleteOrphans();
    }

    /** Starts the deletes. One that fails stays doomed and is tried again by the next truncation or owner. */
    CompletableFuture<Void> deleteDoomed() {
        CompletableFuture<?>[] deletes = record.chain().doomed().stream()
                .filter(ledgerId -> !deleted.contains(ledgerId))
                .map(ledgerId -> ledgers.delete(ledgerId).handle((gone, failure) -> {
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
