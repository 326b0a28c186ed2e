package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Ledgers whose entries a journal may acknowledge before they are on the disk, and the way to get them there. Any thread.
 *
 * <p>The journal has one order for all ledgers, and what a reader finds ends at the first record that is not whole. So a
 * write with a record of any other ledger is on the disk, with all that was written before it, when it returns.
 */
public final class DeferredSync {
    private static final long[] NONE = {};

    /** BookKeeper makes what writes the journal from its class's name, so there is no instance to hand over. */
    private static final ConcurrentHashMap<Path, DeferredSync> OF = new ConcurrentHashMap<>();

    /** Few, one for each log that defers, so that they are looked through without an object for a number. */
    private volatile long[] ledgers = NONE;

    private volatile @Nullable UnsyncedWrites current;

    /** @param journal folder of its files */
    public static DeferredSync of(Path journal) {
        return OF.computeIfAbsent(journal.toAbsolutePath(), none -> new DeferredSync());
    }

    /** For a bookie that starts: whatever another one that had the folder has left counts no more. */
    public static DeferredSync begin(Path journal) {
        DeferredSync begun = new DeferredSync();
        OF.put(journal.toAbsolutePath(), begun);
        return begun;
    }

    /** From now on the ledger's entries do not wait for the disk. */
    public synchronized void begin(long ledger) {
        if (!has(ledger)) {
            long[] more = Arrays.copyOf(ledgers, ledgers.length + 1);
            more[ledgers.length] = ledger;
            ledgers = more;
        }
    }

    /** Later writes of the ledger are synced at once: called before it is fenced, or once it is closed. */
    public synchronized void end(long ledger) {
        if (has(ledger)) {
            ledgers = Arrays.stream(ledgers).filter(each -> each != ledger).toArray();
        }
    }

    boolean has(long ledger) {
        for (long each : ledgers) {
            if (each == ledger) {
                return true;
            }
        }
        return false;
    }

    /** Puts on the disk what the journal has written so far; fails with an {@link IOException}, and so does the journal then. */
    public CompletableFuture<?> force() {
        var done = new CompletableFuture<Void>();
        Thread.ofVirtual().name("journal-force").start(() -> {
            try {
                forceNow();
                done.complete(null);
            } catch (Throwable e) { // whatever it is, who waits is told
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private void forceNow() throws IOException {
        UnsyncedWrites writing = current;
        if (writing != null) {
            writing.force();
        }
    }

    /** The journal goes on in another file, so that nothing in an earlier one may get lost. By the journal's thread. */
    void next(UnsyncedWrites file) throws IOException {
        forceNow();
        current = file;
    }
}
