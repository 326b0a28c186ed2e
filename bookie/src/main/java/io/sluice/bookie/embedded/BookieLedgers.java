package io.sluice.bookie.embedded;

import io.sluice.bookie.journal.DeferredSync;
import io.sluice.store.wal.bookkeeper.OpenLedger;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.proto.BookieServer;

/**
 * The ledgers being written straight to the bookie of this process. A bookie that stops itself leaves none of them waiting,
 * and that is told.
 */
final class BookieLedgers implements OpenLedger.Opener, AutoCloseable {
    private static final long LOOK_SECONDS = 1;

    private final BookieServer server;
    private final LedgerManager ledgers;
    private final DeferredSync sync;
    private final DiskRoom room;
    private final Runnable whenStopped;
    private final Set<BookieLedger> open = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("bookie-watch").daemon().factory());

    /**
     * @param ledgers belongs to the caller
     * @param sync of the bookie's journal
     * @param whenStopped run, again and again, once the bookie has stopped itself
     */
    BookieLedgers(BookieServer server, LedgerManager ledgers, DeferredSync sync, DiskRoom room, Runnable whenStopped) {
        this.server = server;
        this.ledgers = ledgers;
        this.sync = sync;
        this.room = room;
        this.whenStopped = whenStopped;
        watch.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
        watch.scheduleWithFixedDelay(room::look, DiskRoom.LOOK_MILLIS, DiskRoom.LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public OpenLedger open(LedgerHandle created, byte[] password, OpenLedger.Answers to) {
        var ledger = new BookieLedger(server.getBookie(), ledgers, created, password, sync, to, open::remove);
        open.add(ledger);
        return ledger;
    }

    @Override
    public boolean hasRoom() {
        return room.there();
    }

    private void look() {
        if (!server.isRunning()) {
            abandonAll();
            whenStopped.run();
        }
    }

    private void abandonAll() {
        open.forEach(ledger -> ledger.abandon(BKException.Code.BookieHandleNotAvailableException));
    }

    @Override
    public void close() {
        watch.shutdownNow();
        abandonAll();
    }
}
