package io.sluice.broker.compaction;

import io.sluice.broker.compaction.PartitionScan.Chunk;
import io.sluice.broker.log.CompactedView.Companion;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionCompaction.Boundary;
import io.sluice.broker.log.PartitionLog;
import java.io.IOException;
import java.time.Duration;

/**
 * Copies what a partition has in other containers into its own, byte for byte, past the log.
 *
 * <pre>
 *   container 2 ──────── 5 ───────── 7: here ──────► open
 *             └──── companion in 7 ────┘
 * </pre>
 *
 * A note puts the companion in the place of all before its end, as after a compaction; what it replaces is deleted then. Blocking; one
 * thread, once.
 */
final class GatherPartition {
    /** With a step on the loop, a read of long-term storage among them. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final PartitionLog log;
    private final PartitionAttributes attributes;
    private final CompactionResources with;
    private final LoopSteps steps;
    private long copied;

    /** @param attributes of the partition, for the companions */
    GatherPartition(PartitionLog log, PartitionAttributes attributes, CompactionResources with) {
        this.log = log;
        this.attributes = attributes;
        this.with = with;
        this.steps = new LoopSteps(log.container(), PATIENCE);
    }

    /** Whether the partition's log, or its view, lies in other containers. */
    private record Elsewhere(boolean log, boolean view) {}

    /**
     * @return bytes copied
     * @throws CompactionException it stays where it is, for now
     */
    long run() throws CompactionException, IOException, InterruptedException {
        Elsewhere elsewhere = steps.await(step -> {
            log.removeElsewhere(); // what was left there by the start or an earlier companion
            step.complete(
                    new Elsewhere(log.compaction().liesElsewhere(), log.view().liesElsewhere()));
        });
        if (elsewhere.log) {
            gatherLog();
        }
        if (elsewhere.view) {
            gatherView();
        }
        return copied;
    }

    private record Plan(long start, Boundary end) {}

    private void gatherLog() throws CompactionException, IOException, InterruptedException {
        Plan plan = steps.await(step -> {
            Boundary end = log.compaction().elsewhereTo();
            if (end == null) {
                step.completeExceptionally(new CompactionException("its newest entries are not durable yet"));
            } else {
                step.complete(new Plan(log.startOffset(), end));
            }
        });
        try (CompanionWriter writer = writer()) {
            copy(new PartitionScan(log, steps, plan.start, plan.end.offset()), writer);
            steps.durable(done ->
                    log.compaction().gather(writer.companion(), writer.length(), writer.index(), plan.end, done));
        }
    }

    private record View(long horizon, int generation) {}

    private void gatherView() throws CompactionException, IOException, InterruptedException {
        View view = steps.await(
                step -> step.complete(new View(log.view().horizon(), log.view().generation())));
        try (CompanionWriter writer = writer()) {
            copy(PartitionScan.ofView(log, steps, view.horizon), writer);
            Companion made = new Companion(writer.companion(), writer.length(), writer.index());
            steps.durable(done -> log.view().replace(made, view.horizon, view.generation, done));
        }
    }

    private CompanionWriter writer() throws CompactionException, IOException, InterruptedException {
        CompanionWriter writer = new CompanionWriter(log, steps, with.ids().reserve(1), with.objectBytes());
        writer.create(attributes);
        return writer;
    }

    private void copy(PartitionScan scan, CompanionWriter writer) throws CompactionException, InterruptedException {
        for (Chunk chunk = scan.next(); chunk != null; chunk = scan.next()) {
            copied += chunk.bytes().remaining();
            writer.add(chunk.bytes());
        }
        writer.flush();
    }
}
