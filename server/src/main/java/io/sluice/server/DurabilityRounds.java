package io.sluice.server;

import io.sluice.broker.topic.KeepDurability;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has partitions kept in containers of their topics' levels of durability, round after round, until it is closed. */
final class DurabilityRounds implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DurabilityRounds.class);
    private static final long PAUSE_SECONDS = 2;
    private static final long STOP_SECONDS = 5;

    private final KeepDurability durability;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("durability").factory());

    private DurabilityRounds(KeepDurability durability) {
        this.durability = durability;
    }

    static DurabilityRounds start(KeepDurability durability) {
        DurabilityRounds rounds = new DurabilityRounds(durability);
        rounds.thread.scheduleWithFixedDelay(rounds::round, 0, PAUSE_SECONDS, TimeUnit.SECONDS);
        return rounds;
    }

    private void round() {
        try {
            durability.round();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.error("A look at where topics' levels of durability want them failed; the next one begins anew", e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.shutdownNow();
        if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
            log.warn("A partition still moves to another level of durability");
        }
    }
}
