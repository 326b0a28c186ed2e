package io.sluice.broker.compaction;

import static io.sluice.broker.compaction.CompactionAnswers.await;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.compaction.KeyPasses.Full;
import io.sluice.broker.compaction.PartitionScan.Chunk;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.CompactedView.Companion;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.broker.subscription.Cursor;
import io.sluice.store.segment.Durable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Brings a partition's compacted view up to date once; the log stays as it is.
 *
 * <pre>
 *   view  ▪ ▪▪  ▪    ▪▪ ▪ │ horizon
 *   log         ──────────┼──────────────│ end: readable now
 *   1: last offset of each key ──────────┤
 *   2: what stays of both goes to a new companion, and of aborted transactions and markers nothing
 *   3: a note puts it in the view's place; its horizon is the end
 * </pre>
 *
 * A subscription holds what is not compacted yet against retention. Blocking; one thread, once.
 */
final class ViewCompactionJob {
    private final PartitionLog log;
    private final PartitionAttributes attributes;
    private final String subscription;
    private final CompactionResources with;
    private final KeyPasses passes;
    private long messages;

    /** @param removed messages that were in view or log and are not in the view any more */
    record Outcome(long to, long bytesBefore, long bytesAfter, int keys, long removed) {}

    private record Plan(int generation, long horizon, long from, long end, List<Aborted> aborted) {}

    /**
     * @param attributes of the partition, for the companion
     * @param subscription that has acknowledged what is compacted
     */
    ViewCompactionJob(
            PartitionLog log,
            PartitionAttributes attributes,
            String subscription,
            KeyedFormats formats,
            CompactionResources with) {
        this.log = log;
        this.attributes = attributes;
        this.subscription = subscription;
        this.passes = new KeyPasses(formats, new MessageRuns());
        this.with = with;
    }

    /**
     * @param companion id of a segment that is not used yet
     * @return null if there is nothing to compact
     */
    @Nullable
    Outcome run(long companion, long now) throws CompactionException, InterruptedException {
        if (!await(log.container().ask(this::hasMessages))) {
            return null;
        }
        await(log.container().<Boolean>ask(answer -> subscribe(answer.onceDurable(true))));
        Plan plan = await(log.container().ask(this::plan));
        Outcome outcome = plan.end <= plan.from ? null : compact(plan, companion, now);
        await(log.container().<Boolean>ask(answer -> acknowledge(answer.onceDurable(true))));
        return outcome;
    }

    private boolean hasMessages() {
        return log.view().horizon() > 0 || log.readableEnd(Isolation.COMMITTED) > log.startOffset();
    }

    private void subscribe(Durable done) {
        String whyNot = log.subscriptions().whyNot(subscription, Map.of());
        if (whyNot != null) {
            throw new IllegalStateException(whyNot);
        }
        log.subscriptions().create(subscription, log.startOffset(), Map.of(), done);
    }

    private void acknowledge(Durable done) {
        Cursor cursor = log.subscriptions().find(subscription);
        if (cursor == null) {
            log.view().drop(done); // unsubscribed meanwhile
        } else {
            cursor.ackUpTo(Math.max(log.startOffset(), log.view().horizon()) - 1, done);
        }
    }

    private Plan plan() {
        long horizon = log.view().horizon();
        long from = Math.max(horizon, log.startOffset());
        long end = log.readableEnd(Isolation.COMMITTED);
        List<Aborted> aborted = log.transactions().abortedIn(from, Math.max(from, end));
        return new Plan(log.view().generation(), horizon, from, end, aborted);
    }

    private Outcome compact(Plan plan, long companion, long now) throws CompactionException, InterruptedException {
        OffsetMap newest = OffsetMap.of(plan.end - plan.from, with.mapBytes());
        long end = readKeys(plan, newest);
        try (CompanionWriter writer = new CompanionWriter(log, companion, with.objectBytes())) {
            writer.create(attributes);
            Survivors survivors = Survivors.ofView(newest, now);
            AbortedData none = new AbortedData(List.of());
            passes.copy(PartitionScan.ofView(log, plan.horizon), none, survivors, writer);
            passes.copy(new PartitionScan(log, plan.from, end), new AbortedData(plan.aborted), survivors, writer);
            writer.flush();
            Companion made = new Companion(companion, writer.length(), writer.index());
            await(log.container()
                    .<Boolean>ask(answer -> log.view().replace(made, end, plan.generation, answer.onceDurable(true))));
            return new Outcome(end, passes.readBytes(), writer.length(), newest.size(), messages);
        }
    }

    /** Returns how far all keys are known. */
    private long readKeys(Plan plan, OffsetMap newest) throws CompactionException, InterruptedException {
        PartitionScan scan = new PartitionScan(log, plan.from, plan.end);
        Full full = passes.readKeys(scan, new AbortedData(plan.aborted), newest);
        return full == null ? plan.end : endBefore(full, plan);
    }

    /** The beginning of the entry that has the key for which there was no room. */
    private static long endBefore(Full full, Plan plan) throws CompactionException {
        long[] end = {plan.from};
        PartitionScan.forEach(full.chunk().bytes().duplicate().clear(), (bytes, at) -> {
            long base = EntryHeader.baseOffset(bytes, at);
            end[0] = base <= full.offset() ? base : end[0];
        });
        if (end[0] <= plan.from) {
            throw full.exception();
        }
        return end[0];
    }

    /** Runs between the ends of transactions, which are noted and left out; counts the messages that go. */
    private final class MessageRuns implements KeyPasses.Runs {
        @Override
        public @Nullable ByteBuffer next(Chunk chunk, AbortedData aborted) {
            return chunk.nextBut(new Control(aborted));
        }

        @Override
        public void reading(ByteBuffer run) {
            messages += count(run);
        }

        @Override
        public void kept(ByteBuffer entries) {
            messages -= count(entries);
        }
    }

    private static long count(ByteBuffer entries) {
        long[] messages = {0};
        PartitionScan.forEach(entries, (bytes, at) -> messages[0] += EntryHeader.count(bytes, at));
        return messages[0];
    }

    /** Ends of transactions, and what else is for no consumer. */
    private record Control(AbortedData aborted) implements PartitionScan.LeftOut {
        @Override
        public boolean is(ByteBuf bytes, int at) {
            return EntryHeader.isControl(bytes, at);
        }

        @Override
        public void passed(ByteBuf bytes, int at) {
            aborted.ended(EntryHeader.producerId(bytes, at), EntryHeader.baseOffset(bytes, at));
        }
    }
}
