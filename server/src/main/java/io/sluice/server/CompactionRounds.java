package io.sluice.server;

import io.sluice.broker.compaction.CompactTopics;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has topics compacted, round after round with a pause between them, until it is closed. */
final class CompactionRounds implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CompactionRounds.class);
    private static final long STOP_SECONDS = 5;

    private final CompactTopics compaction;
    // not a virtual thread: it computes for minutes
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("compaction").factory());

    private CompactionRounds(CompactTopics compaction) {
        this.compaction = compaction;
    }

    static CompactionRounds start(CompactTopics compaction, long pauseMillis) {
        CompactionRounds rounds = new CompactionRounds(compaction);
        rounds.thread.scheduleWithFixedDelay(rounds::round, pauseMillis, pauseMillis, TimeUnit.MILLISECONDS);
        return rounds;
    }

    private void round() {
        try {
            compaction.round();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            log.error("A round of compaction failed; the next one begins anew", e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.shutdownNow();
        if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
            log.warn("Compaction is still at work");
        }
    }
}
