package io.sluice.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.broker.Broker;
import io.sluice.broker.balance.BalancePolicy;
import io.sluice.broker.balance.BalanceSettings;
import io.sluice.broker.balance.KeepLoadEven;
import io.sluice.broker.balance.MeasureLoad;
import io.sluice.server.config.ServerConfig;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has load kept even among containers, round after round with a pause between them, until it is closed. */
final class BalanceRounds implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BalanceRounds.class);
    private static final long STOP_SECONDS = 5;

    private final KeepLoadEven balance;
    private final Counter moved;
    private final Counter failed;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("balance").factory());

    private BalanceRounds(KeepLoadEven balance, MeterRegistry metrics) {
        this.balance = balance;
        moved = Counter.builder("sluice.balance.moves")
                .description("partitions moved because load was uneven")
                .register(metrics);
        failed = Counter.builder("sluice.balance.failures")
                .description("such moves that failed")
                .register(metrics);
        Gauge.builder("sluice.balance.unevenness", balance, KeepLoadEven::unevenness)
                .description("load of the hottest container by the mean of its level of durability; 1 is even, or idle")
                .register(metrics);
    }

    /** Does nothing if the settings say so; the figures are there all the same. */
    static BalanceRounds start(ServerConfig.Balance settings, Storage storage, MeterRegistry metrics) {
        Broker broker = storage.broker();
        LongSupplier clock = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        MeasureLoad measure = new MeasureLoad(
                broker.catalogue(),
                broker.partitions(),
                storage.containers(),
                new ContainerStrains(storage.containers()),
                clock);
        BalancePolicy policy = new BalancePolicy(BalanceSettings.DEFAULT);
        BalanceRounds rounds = new BalanceRounds(
                new KeepLoadEven(broker.catalogue(), measure, policy, storage.containers()::level, clock), metrics);
        if (settings.enabled()) {
            long pause = settings.checkMillis();
            rounds.thread.scheduleWithFixedDelay(rounds::round, pause, pause, TimeUnit.MILLISECONDS);
        }
        return rounds;
    }

    /** What these rounds do. */
    KeepLoadEven balance() {
        return balance;
    }

    private void round() {
        try {
            for (KeepLoadEven.Done done : balance.round()) {
                (done.moved() ? moved : failed).increment();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.error("A round of balancing failed; the next one begins anew", e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.shutdownNow();
        if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
            log.warn("Balancing is still at work");
        }
    }
}
