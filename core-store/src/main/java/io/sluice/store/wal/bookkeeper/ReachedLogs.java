package io.sluice.store.wal.bookkeeper;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Tries whether logs could be taken over and written from here: of each ledger the newest entry is read, as its recovery would; and one entry is
 * written to a ledger that is made for it and deleted, one for all logs of the same durability. Changes no log.
 */
final class ReachedLogs {
    private static final StoredChain NEVER_OPENED = new StoredChain(0, List.of());

    private final Metadata metadata;
    private final BookKeeperLedgers ledgers;
    private final Map<Durability, CompletableFuture<Void>> writes = new HashMap<>();

    ReachedLogs(Metadata metadata, BookKeeperLedgers ledgers) {
        this.metadata = metadata;
        this.ledgers = ledgers;
    }

    /** See {@link BookKeeperWalStore#reachable}. Once. */
    Set<Integer> of(Map<Integer, Durability> containers, Duration atMost) throws WalException {
        long deadline = System.nanoTime() + atMost.toNanos();
        Map<Integer, CompletableFuture<Void>> trials = new HashMap<>();
        for (Map.Entry<Integer, Durability> each : containers.entrySet()) {
            trials.put(each.getKey(), tried(each.getKey(), chain(each.getKey()), each.getValue()));
        }
        Set<Integer> reached = new TreeSet<>();
        for (Map.Entry<Integer, CompletableFuture<Void>> each : trials.entrySet()) {
            if (isReached(each.getValue(), deadline - System.nanoTime())) {
                reached.add(each.getKey());
            }
        }
        return reached;
    }

    private StoredChain chain(int container) throws WalException {
        try {
            StoredChain stored = StoredChain.read(metadata, container);
            return stored == null ? NEVER_OPENED : stored;
        } catch (IOException e) {
            throw new WalException.Unavailable("cannot read the chain of container " + container, e);
        }
    }

    private CompletableFuture<Void> tried(int container, StoredChain chain, Durability durability) {
        List<CompletableFuture<Void>> steps = new ArrayList<>();
        steps.add(writes.computeIfAbsent(durability, one -> ledgers.tryWriting(container, chain.term(), one)));
        chain.ledgers().forEach(link -> steps.add(ledgers.tryReading(link.id())));
        return CompletableFuture.allOf(steps.toArray(CompletableFuture[]::new));
    }

    /** Whatever else is wrong with a log, its bookies have answered. */
    private static boolean isReached(CompletableFuture<Void> trial, long withinNanos) {
        try {
            trial.get(Math.max(0, withinNanos), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException e) {
            return !(LedgerFailures.of("try", e.getCause() == null ? e : e.getCause())
                    instanceof WalException.Unavailable);
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
