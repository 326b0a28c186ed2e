package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chain and the ledgers that it names, in one term: what was created enters the chain, what left it is deleted.
 *
 * <p>A ledger is deleted only if the stored chain, read after whatever failed, lacks it. One whose put may or may not have
 * happened is kept, and is the next to be added. {@link #add} and the rest may run at the same time; neither runs
 * twice at once.
 *
 * @param <L> a ledger that can be written to
 */
final class ChainedLedgers<L> {
    private static final Logger log = LoggerFactory.getLogger(ChainedLedgers.class);

    private final int container;
    private final TermChain record;
    private final Ledgers<L> ledgers;
    /** Created, and perhaps in the stored chain: the next ledger to add. */
    private @Nullable L unconfirmed;
    /** Doomed ledgers that are being deleted. */
    private final Set<Long> deleting = ConcurrentHashMap.newKeySet();
    /** Doomed ledgers that are gone; they leave the record with its next change. */
    private final Set<Long> deleted = ConcurrentHashMap.newKeySet();

    /** Where ledgers are made and deleted. Whatever blocks has a deadline. */
    interface Ledgers<L> {
        /** May give one that was begun before. */
        L create(long term) throws WalException;

        long id(L ledger);

        /** Completes normally, too, if the ledger is already gone. */
        CompletableFuture<Void> delete(long id);

        void await(String what, CompletableFuture<Void> deletes) throws WalException;
    }

    /** @param number in the chain */
    record Added<L>(long number, L ledger) {}

    ChainedLedgers(int container, TermChain record, Ledgers<L> ledgers) {
        this.container = container;
        this.record = record;
        this.ledgers = ledgers;
    }

    LedgerChain chain() {
        return record.chain();
    }

    /** Creates a ledger at the chain's end. */
    Added<L> add() throws WalException {
        L ledger = unconfirmed;
        if (ledger == null) {
            ledger = ledgers.create(record.chain().term());
            unconfirmed = ledger;
        }
        long id = ledgers.id(ledger);
        try {
            long number = record.change(
                            chain -> chain.forget(List.copyOf(deleted)).add(id))
                    .numberOf(id);
            unconfirmed = null;
            return new Added<>(number, ledger);
        } catch (WalException.Fenced e) {
            unconfirmed = null;
            deleteUnlessStored(id);
            throw e;
        }
    }

    /** A ledger that stays is an orphan, or the next owner's. */
    private void deleteUnlessStored(long id) {
        try {
            if (!record.isStored(id)) {
                ledgers.delete(id);
            }
        } catch (IOException | RuntimeException e) {
            log.info("container {}: ledger {} is left to the next owner: {}", container, id, e.toString());
        }
    }

    /** Drops the ledgers before {@code firstRetained} from the chain. */
    void drop(long firstRetained) throws WalException {
        record.change(chain -> chain.forget(List.copyOf(deleted)).truncate(firstRetained));
    }

    /** Deletes what was dropped, and forgets it. */
    void deleteDropped() throws WalException {
        ledgers.await("cannot delete ledgers", deleteDoomed());
        record.change(chain -> chain.forget(List.copyOf(deleted)));
    }

    /** Starts the deletes. One that fails stays doomed and is tried again by the next truncation or owner. */
    CompletableFuture<Void> deleteDoomed() {
        CompletableFuture<?>[] deletes = record.chain().doomed().stream()
                .filter(id -> !deleted.contains(id) && deleting.add(id))
                .map(this::delete)
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(deletes);
    }

    private CompletableFuture<Void> delete(long id) {
        return ledgers.delete(id).handle((gone, failure) -> {
            deleting.remove(id);
            if (failure == null) {
                deleted.add(id);
            } else {
                log.warn("container {}: ledger {} is not deleted yet: {}", container, id, failure.toString());
            }
            return gone;
        });
    }
}
