package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.Durability;
import io.sluice.store.wal.FrameReader;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
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
    private final Durability durability;
    private final ChainedLedgers<LedgerHandle> chain;
    private final BookKeeperLedgers ledgers;
    private final OrphanLedgers orphans;
    private final long opened;
    /** All that owners before this one may have made: no ledger of theirs enters the chain any more. */
    private final LedgerChain atOpening;

    private final FencedLedgers recovered;
    private final Consumer<BookKeeperWal> onClose;
    private final Set<BookKeeperLedgerWriter> writers = ConcurrentHashMap.newKeySet();
    /** Created while the earlier ledgers are read; null once it was asked for. */
    private final AtomicReference<@Nullable CompletableFuture<LedgerHandle>> first;

    private boolean orphansDeleted;

    /** @param first ledger of the term, which is being created and is not in the chain */
    BookKeeperWal(
            int container,
            Durability durability,
            TermChain record,
            BookKeeperLedgers ledgers,
            OrphanLedgers orphans,
            Map<Long, ReadHandle> recovered,
            @Nullable CompletableFuture<LedgerHandle> first,
            Consumer<BookKeeperWal> onClose) {
        this.container = container;
        this.durability = durability;
        this.chain = new ChainedLedgers<>(container, record, new Handles());
        this.ledgers = ledgers;
        this.orphans = orphans;
        this.opened = orphans.opened();
        this.atOpening = record.chain();
        this.recovered = new FencedLedgers(ledgers, recovered);
        this.first = new AtomicReference<>(first);
        this.onClose = onClose;
    }

    @Override
    public long term() {
        return chain.chain().term();
    }

    @Override
    public List<Long> recovered() {
        return recovered.numbers();
    }

    @Override
    public void replay(long ledger, FrameReader reader) throws WalException {
        recovered.replay(ledger, reader);
    }

    @Override
    public LedgerWriter startLedger() throws WalException {
        ChainedLedgers.Added<LedgerHandle> added = chain.add();
        BookKeeperLedgerWriter writer = new BookKeeperLedgerWriter(ledgers, added.ledger(), added.number());
        writers.add(writer);
        return writer;
    }

    @Override
    public void truncate(long firstRetained) throws WalException {
        chain.drop(firstRetained);
        recovered.drop(firstRetained);
        writers.removeIf(writer -> writer.ledger() < firstRetained);
        chain.deleteDropped();
        deleteOrphans();
    }

    /** Starts the deletes that an earlier truncation left. */
    CompletableFuture<Void> deleteDoomed() {
        return chain.deleteDoomed();
    }

    private void deleteOrphans() throws WalException {
        if (orphansDeleted) {
            return;
        }
        for (long ledgerId : orphans.of(container, opened, atOpening)) {
            log.info("container {}: deleting ledger {}, which never entered the chain", container, ledgerId);
            ledgers.await("cannot delete ledger " + ledgerId, ledgers.delete(ledgerId));
        }
        orphansDeleted = true;
    }

    @Override
    public void close() {
        onClose.accept(this);
        List<CompletableFuture<?>> steps = new ArrayList<>();
        writers.forEach(writer -> steps.add(writer.abandon()));
        CompletableFuture<LedgerHandle> unused = first.getAndSet(null);
        if (unused != null) {
            steps.add(ledgers.discard(unused));
        }
        var closing = CompletableFuture.allOf(steps.toArray(CompletableFuture[]::new));
        try {
            ledgers.await("cannot close the log", closing);
        } catch (WalException e) {
            // The next owner closes the ledgers in its recovery.
            log.info("container {}: {}", container, e.getMessage());
        }
        recovered.close();
    }

    /** Ledgers of this container. */
    private final class Handles implements ChainedLedgers.Ledgers<LedgerHandle> {
        @Override
        public LedgerHandle create(long term) throws WalException {
            CompletableFuture<LedgerHandle> begun = first.getAndSet(null);
            return begun == null
                    ? ledgers.create(container, term, durability)
                    : ledgers.await("cannot create a ledger", begun);
        }

        @Override
        public long id(LedgerHandle ledger) {
            return ledger.getId();
        }

        @Override
        public CompletableFuture<Void> delete(long id) {
            return ledgers.delete(id);
        }

        @Override
        public void await(String what, CompletableFuture<Void> deletes) throws WalException {
            ledgers.await(what, deletes);
        }
    }
}
