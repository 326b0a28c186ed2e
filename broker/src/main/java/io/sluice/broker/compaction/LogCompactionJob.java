package io.sluice.broker.compaction;

import static io.sluice.broker.compaction.CompactionAnswers.await;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.compaction.KeyPasses.Full;
import io.sluice.broker.entry.DelayRun;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.CompactionTarget.Boundary;
import io.sluice.broker.log.DelayedRuns;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compacts a partition once.
 *
 * <pre>
 *   start ──── compacted before ──── dirty ───────────── end ──────► open
 *              └────── 2: what stays goes to a companion ──┘
 *                                    └─ 1: last offset of each key
 *   3: a note puts the companion in the place of all before the end
 * </pre>
 *
 * If there is no room for all keys, the end is where the room ends, and the rest is left to the next time. Until the note is durable the
 * partition is as it was: a crash leaves a companion that nothing refers to. Blocking; one thread, once.
 */
final class LogCompactionJob {
    private final PartitionLog log;
    private final PartitionAttributes attributes;
    private final CompactionPolicy policy;
    private final CompactionResources with;
    private final KeyedFormats formats;

    /** @param keys that were known by their last offset */
    record Outcome(long to, long bytesBefore, long bytesAfter, int keys) {}

    /** @param delays where the runs of the index of delayed entries lie that are in use */
    private record Plan(
            long start, long dirtyFrom, Boundary end, List<Aborted> dirty, List<Aborted> all, Set<Long> delays) {}

    /**
     * Runs of the index of delayed entries that are not in use any more: a later one has taken their place. The last entry before the end stays, as
     * of {@link Survivors#isLast}.
     */
    private record OldDelays(Set<Long> inUse, long end) implements PartitionScan.LeftOut {
        @Override
        public boolean is(ByteBuf bytes, int at) {
            return DelayRun.is(bytes, at)
                    && !inUse.contains(EntryHeader.baseOffset(bytes, at))
                    && EntryHeader.lastOffset(bytes, at) + 1 < end;
        }
    }

    /** @param attributes of the partition, for the companion */
    LogCompactionJob(
            PartitionLog log,
            PartitionAttributes attributes,
            CompactionPolicy policy,
            KeyedFormats formats,
            CompactionResources with) {
        this.log = log;
        this.attributes = attributes;
        this.policy = policy;
        this.formats = formats;
        this.with = with;
    }

    /**
     * @param companion id of a segment that is not used yet
     * @return null if there is nothing to compact
     */
    @Nullable
    Outcome run(long companion, long now) throws CompactionException, InterruptedException {
        Plan plan = await(log.container().ask(() -> plan(now)));
        if (plan.end.offset() <= plan.dirtyFrom) {
            return null;
        }
        OffsetMap newest = OffsetMap.of(plan.end.offset() - plan.dirtyFrom, with.mapBytes());
        Boundary end = readKeys(plan, newest);
        KeyPasses passes = passes(plan, end);
        try (CompanionWriter writer = new CompanionWriter(log, companion, with.objectBytes())) {
            writer.create(attributes);
            copy(plan, end, new Survivors(newest, end.offset(), now, policy.deleteRetentionMillis()), passes, writer);
            writer.flush();
            if (await(log.container().ask(() -> end.offset() <= log.startOffset()))) {
                return null; // all of it was deleted meanwhile
            }
            await(log.container()
                    .<Boolean>ask(answer -> log.compaction()
                            .replace(companion, writer.length(), writer.index(), end, answer.onceDurable(true))));
            return new Outcome(end.offset(), passes.readBytes(), writer.length(), newest.size());
        }
    }

    private Plan plan(long now) {
        long start = log.startOffset();
        long dirtyFrom = Math.max(start, log.compaction().compactedTo());
        Boundary end = log.compaction().cleanableTo(policy.olderThan(now));
        List<Aborted> dirty = log.transactions().abortedIn(dirtyFrom, Math.max(dirtyFrom, end.offset()));
        List<Aborted> all = log.transactions().abortedIn(start, Math.max(start, end.offset()));
        Set<Long> delays =
                log.delays().runs().stream().map(DelayedRuns.Run::base).collect(Collectors.toSet());
        return new Plan(start, dirtyFrom, end, dirty, all, delays);
    }

    /** Returns how far all keys are known. */
    private Boundary readKeys(Plan plan, OffsetMap newest) throws CompactionException, InterruptedException {
        PartitionScan scan = new PartitionScan(log, plan.dirtyFrom, plan.end.offset());
        Full full = passes(plan, plan.end).readKeys(scan, new AbortedData(plan.dirty), newest);
        if (full == null) {
            return plan.end;
        }
        Boundary end = await(log.container().ask(() -> log.compaction().boundary(full.offset())));
        if (end.offset() <= plan.dirtyFrom) {
            throw full.exception();
        }
        return end;
    }

    private KeyPasses passes(Plan plan, Boundary end) {
        OldDelays old = new OldDelays(plan.delays, end.offset());
        return new KeyPasses(formats, (chunk, aborted) -> chunk.nextBut(old));
    }

    private void copy(Plan plan, Boundary end, Survivors survivors, KeyPasses passes, CompanionWriter writer)
            throws CompactionException, InterruptedException {
        passes.copy(new PartitionScan(log, plan.start, end.offset()), new AbortedData(plan.all), survivors, writer);
    }
}
