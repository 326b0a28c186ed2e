package io.sluice.server;

import io.sluice.broker.Broker;
import io.sluice.broker.retention.EnforceRetention;
import io.sluice.broker.retention.Retention;
import io.sluice.server.config.ServerConfig;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has retention enforced, round after round with a pause between them, until it is closed. */
final class RetentionRounds implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RetentionRounds.class);
    private static final long STOP_SECONDS = 5;

    private final EnforceRetention retention;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("retention").factory());

    private RetentionRounds(EnforceRetention retention) {
        this.retention = retention;
    }

    static RetentionRounds start(Broker broker, ServerConfig.Topics topics) {
        Retention defaults = new Retention(topics.retentionMillis(), topics.retentionBytes());
        RetentionRounds rounds = new RetentionRounds(
                new EnforceRetention(broker.catalogue(), broker.partitions(), defaults, System::currentTimeMillis));
        long pause = topics.retentionCheckMillis();
        rounds.thread.scheduleWithFixedDelay(rounds::round, pause, pause, TimeUnit.MILLISECONDS);
        return rounds;
    }

    private void round() {
        try {
            int cut = retention.round();
            if (cut > 0) {
                log.info("Retention has cut {} partitions", cut);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.error("A round of retention failed; the next one begins anew", e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.shutdownNow();
        if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
            log.warn("Retention is still at work");
        }
    }
}
