package io.sluice.server.wiring;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.broker.Broker;
import io.sluice.broker.balance.BalancePolicy;
import io.sluice.broker.balance.BalanceSettings;
import io.sluice.broker.balance.ClusterLoad;
import io.sluice.broker.balance.ContainerCountPolicy;
import io.sluice.broker.balance.KeepContainerCount;
import io.sluice.broker.balance.KeepLoadEven;
import io.sluice.broker.balance.LoadSample;
import io.sluice.broker.balance.LoadSource;
import io.sluice.broker.balance.MeasureLoad;
import io.sluice.broker.scaling.KeepTopicsScaled;
import io.sluice.broker.scaling.ScaleTargets;
import io.sluice.server.config.ServerConfig;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has load kept even among containers, their number and the spread of topics as the load asks for, by one measurement, round after round
 * with a pause between them, until it is closed.
 */
final class BalanceRounds implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BalanceRounds.class);
    private static final long STOP_SECONDS = 5;

    private final BooleanSupplier decides;
    private final LoadSource measure;
    private final KeepLoadEven balance;
    private final KeepTopicsScaled scaling;
    private final KeepContainerCount count;
    private final boolean balances;
    private final boolean counts;
    private final boolean scales;
    private final Counter moved;
    private final Counter failed;
    private final Counter counted;
    private final Counter splits;
    private final Counter merges;
    private final Counter notScaled;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("balance").factory());

    private BalanceRounds(
            LoadSource measure,
            KeepLoadEven balance,
            KeepTopicsScaled scaling,
            KeepContainerCount count,
            ServerConfig config,
            BooleanSupplier decides,
            MeterRegistry metrics) {
        this.decides = decides;
        this.measure = measure;
        this.balance = balance;
        this.scaling = scaling;
        this.count = count;
        this.counts = config.balance().changesContainers();
        this.balances = config.balance().enabled();
        this.scales = config.scaling().enabled();
        splits = Counter.builder("sluice.scaling.splits")
                .description("scalable segments, and runs of partitions of elastic topics, split because of their load")
                .register(metrics);
        merges = Counter.builder("sluice.scaling.merges")
                .description("such neighbours that were merged because they had little load")
                .register(metrics);
        notScaled = Counter.builder("sluice.scaling.failures")
                .description("such splits and merges that failed")
                .register(metrics);
        moved = Counter.builder("sluice.balance.moves")
                .description("partitions moved because load was uneven")
                .register(metrics);
        failed = Counter.builder("sluice.balance.failures")
                .description("such moves that failed")
                .register(metrics);
        counted = Counter.builder("sluice.balance.container.counts")
                .description("changes of the number of containers because of their load, failed ones among them")
                .register(metrics);
        Gauge.builder("sluice.balance.unevenness", balance, KeepLoadEven::unevenness)
                .description("load of the hottest container by the mean of its level of durability; 1 is even, or idle")
                .register(metrics);
    }

    /** Does nothing if the settings say so; the figures are there all the same. */
    static BalanceRounds start(ServerConfig config, Storage storage, MeterRegistry metrics) {
        Broker broker = storage.broker();
        LongSupplier clock = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        MeasureLoad here = new MeasureLoad(
                broker.catalogue(),
                broker.partitions(),
                storage.containers(),
                new ContainerStrains(storage.containers()),
                clock);
        var measure = new ClusterLoad(here, storage.cluster(), storage.peers().peers(), clock);
        measure.answer(
                storage.peers().handlers(),
                task -> Thread.ofVirtual().name("measure-load").start(task));
        BalancePolicy policy = new BalancePolicy(BalanceSettings.DEFAULT);
        var scaling = new KeepTopicsScaled(
                new KeepTopicsScaled.Context(
                        broker.catalogue(), broker.scalableTopics(), broker.durability(), storage.containers(), clock),
                targets(config.scaling()));
        BalanceRounds rounds = new BalanceRounds(
                measure,
                new KeepLoadEven(broker.catalogue(), measure, policy, storage.containers()::level, clock),
                scaling,
                new KeepContainerCount(
                        storage.containers(), storage.containerCount()::set, policy(config.balance()), clock),
                config,
                storage::isController,
                metrics);
        if (rounds.balances || rounds.scales || rounds.counts) {
            long pause = config.balance().checkMillis();
            rounds.thread.scheduleWithFixedDelay(rounds::round, pause, pause, TimeUnit.MILLISECONDS);
        }
        return rounds;
    }

    private static ContainerCountPolicy policy(ServerConfig.Balance settings) {
        return new ContainerCountPolicy(ContainerCountPolicy.Limits.of(
                settings.containerBytesPerSecond(),
                settings.leastContainers(),
                Math.max(settings.leastContainers(), settings.mostContainers())));
    }

    /** Targets of topics without their own. */
    static ScaleTargets targets(ServerConfig.Scaling settings) {
        return ScaleTargets.of(settings.bytesPerSecond(), settings.eventsPerSecond())
                .after(settings.splitCooldownMillis(), settings.mergeMillis())
                .atMost(settings.maxSegments());
    }

    /** Moves partitions between uneven containers. */
    KeepLoadEven balance() {
        return balance;
    }

    /** Changes the number of containers. */
    KeepContainerCount count() {
        return count;
    }

    /** Splits and merges topics by their load. */
    KeepTopicsScaled scaling() {
        return scaling;
    }

    private void round() {
        if (!decides.getAsBoolean()) {
            return;
        }
        try {
            LoadSample sample = measure.sample();
            boolean changed = balances && balance(sample);
            if (counts && !changed) { // else the sample says what was
                int decided = count.round(sample);
                counted.increment(decided);
                changed = decided > 0;
            }
            if (scales && !changed) {
                scale(sample);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.error("A round of balancing failed; the next one begins anew", e);
        }
    }

    /** Whether anything moved. */
    private boolean balance(LoadSample sample) throws InterruptedException {
        List<KeepLoadEven.Done> all = balance.round(sample);
        all.forEach(done -> (done.moved() ? moved : failed).increment());
        return !all.isEmpty();
    }

    private void scale(LoadSample sample) throws InterruptedException {
        for (KeepTopicsScaled.Done done : scaling.round(sample)) {
            (!done.done() ? notScaled : done.split() ? splits : merges).increment();
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
