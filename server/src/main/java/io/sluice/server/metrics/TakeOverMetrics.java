package io.sluice.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.server.containers.ServedContainers;
import io.sluice.server.containers.ServingListener;
import io.sluice.server.containers.TakeOver;
import io.sluice.store.container.RecoveryTimes;
import java.time.Duration;

/** How long this process takes to take containers over, with the steps of that. */
final class TakeOverMetrics implements ServingListener {
    private final Timer all;
    private final Timer lease;
    private final Timer fence;
    private final Timer replay;
    private final Timer ledger;
    private final Timer checkpoint;

    private TakeOverMetrics(MeterRegistry metrics) {
        all = Timer.builder("sluice.takeover")
                .description("from the attempt at a free container's lease until other nodes know that it serves here")
                .serviceLevelObjectives(buckets())
                .register(metrics);
        lease = step(metrics, "lease");
        fence = step(metrics, "fence");
        replay = step(metrics, "replay");
        ledger = step(metrics, "ledger");
        checkpoint = step(metrics, "checkpoint");
    }

    static void bind(MeterRegistry metrics, ServedContainers containers) {
        containers.onServing(new TakeOverMetrics(metrics));
    }

    private static Duration[] buckets() {
        return new Duration[] {
            Duration.ofMillis(50),
            Duration.ofMillis(100),
            Duration.ofMillis(200),
            Duration.ofMillis(500),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10)
        };
    }

    private static Timer step(MeterRegistry metrics, String step) {
        return Timer.builder("sluice.takeover.step")
                .description("steps of taking a container over")
                .tag("step", step)
                .register(metrics);
    }

    @Override
    public void serving(int container) {}

    @Override
    public void stopped(int container) {}

    @Override
    public void tookOver(int container, TakeOver times) {
        RecoveryTimes recovery = times.recovery();
        all.record(times.all());
        lease.record(times.lease());
        fence.record(recovery.fence());
        replay.record(recovery.replay());
        ledger.record(recovery.ledger());
        checkpoint.record(recovery.checkpoint());
    }
}
