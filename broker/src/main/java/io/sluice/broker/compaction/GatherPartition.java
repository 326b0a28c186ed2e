package io.sluice.broker.compaction;

import static io.sluice.broker.compaction.CompactionAnswers.await;

import io.sluice.broker.compaction.PartitionScan.Chunk;
import io.sluice.broker.log.CompactedView.Companion;
import io.sluice.broker.log.CompactionTarget.Boundary;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import java.io.IOException;

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
    private final PartitionLog log;
    private final PartitionAttributes attributes;
    private final CompactionResources with;
    private long copied;

    /** @param attributes of the partition, for the companions */
    GatherPartition(PartitionLog log, PartitionAttributes attributes, CompactionResources with) {
        this.log = log;
        this.attributes = attributes;
        this.with = with;
    }

    /** Whether the partition's log, or its view, lies in other containers. */
    private record Elsewhere(boolean log, boolean view) {}

    /**
     * @return bytes copied
     * @throws CompactionException it stays where it is, for now
     */
    long run() throws CompactionException, IOException, InterruptedException {
        Elsewhere elsewhere = await(log.container().ask(() -> {
            log.retention().removeElsewhere(); // what was left there by the start or an earlier companion
            return new Elsewhere(log.compaction().liesElsewhere(), log.view().liesElsewhere());
        }));
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
        Plan plan = await(log.container().ask(() -> {
            Boundary end = log.compaction().elsewhereTo();
            if (end == null) {
                throw new CompactionException("its newest entries are not durable yet");
            }
            return new Plan(log.startOffset(), end);
        }));
        try (CompanionWriter writer = writer()) {
            copy(new PartitionScan(log, plan.start, plan.end.offset()), writer);
            await(log.container()
                    .<Boolean>ask(answer -> log.compaction()
                            .gather(
                                    writer.companion(),
                                    writer.length(),
                                    writer.index(),
                                    plan.end,
                                    answer.onceDurable(true))));
        }
    }

    private record View(long horizon, int generation) {}

    private void gatherView() throws CompactionException, IOException, InterruptedException {
        View view = await(log.container()
                .ask(() -> new View(log.view().horizon(), log.view().generation())));
        try (CompanionWriter writer = writer()) {
            copy(PartitionScan.ofView(log, view.horizon), writer);
            Companion made = new Companion(writer.companion(), writer.length(), writer.index());
            await(log.container()
                    .<Boolean>ask(answer ->
                            log.view().replace(made, view.horizon, view.generation, answer.onceDurable(true))));
        }
    }

    private CompanionWriter writer() throws CompactionException, IOException, InterruptedException {
        CompanionWriter writer = new CompanionWriter(log, with.ids().reserve(1), with.objectBytes());
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
