package io.sluice.bookie.journal;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.bookie.GarbageCollector;
import org.apache.bookkeeper.bookie.ScanAndCompareGarbageCollector;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.stats.StatsLogger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes, again and again, the ledgers that metadata has no more, and the part of the journal that is not needed. Both are safe
 * to repeat.
 */
final class CollectLedgers {
    private static final Logger log = LoggerFactory.getLogger(CollectLedgers.class);
    private static final long STOP_SECONDS = 30;

    private final JournalLedgerStorage storage;
    private final JournalTrim journal;
    private final GarbageCollector collector;
    private final long intervalMillis;
    private volatile long retainedBytes;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("bookie-collect").daemon().factory());

    CollectLedgers(
            JournalLedgerStorage storage,
            JournalTrim journal,
            LedgerManager ledgers,
            ServerConfiguration conf,
            StatsLogger stats,
            long retainedBytes)
            throws IOException {
        this.storage = storage;
        this.journal = journal;
        this.collector = new ScanAndCompareGarbageCollector(ledgers, storage, conf, stats);
        this.intervalMillis = conf.getGcWaitTime();
        this.retainedBytes = retainedBytes;
    }

    /** From the next collection on. Any thread. */
    void retain(long bytes) {
        retainedBytes = bytes;
    }

    void start() {
        thread.scheduleWithFixedDelay(this::run, 0, intervalMillis, TimeUnit.MILLISECONDS);
    }

    private void run() {
        try {
            collector.gc(this::delete);
            journal.trim(retainedBytes);
            journal.mindSpares();
        } catch (IOException | RuntimeException e) {
            log.warn(
                    "The journal could not be trimmed, which is tried again in {} ms: {}",
                    intervalMillis,
                    e.getMessage());
        }
    }

    private void delete(long ledger) {
        try {
            storage.deleteLedger(ledger);
        } catch (IOException e) {
            log.warn("Ledger {} could not be deleted, which is tried again: {}", ledger, e.getMessage());
        }
    }

    void stop() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
            log.warn("The bookie's collector is still running");
        }
    }
}
