package io.sluice.broker.compaction;

import io.netty.buffer.Unpooled;
import io.sluice.broker.compaction.SimKeyedEntries.Rec;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.store.segment.StoreFailure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One partition with a compacted view beside its log, written to, compacted and cut off anywhere as in {@link CompactionSim}. Who asks for
 * the view comes to the newest state of each key, also of what the log has no more; who does not sees everything.
 */
final class ViewSim extends KeyedSim {
    private static final String SUBSCRIPTION = "compactor";

    private long nextCompanion = 1_000_000;

    ViewSim(long seed, CompactionSimBug bug) {
        super(seed, bug, 15, Map.of());
    }

    private ViewCompactionJob compactor() {
        PartitionLog log = log();
        PartitionAttributes attributes = new PartitionAttributes("t", new UUID(1, 2), 0, log.partitionId());
        KeyedFormats formats = new KeyedFormats(List.of(format));
        return new ViewCompactionJob(log, attributes, SUBSCRIPTION, formats, broker.compaction(FEW_KEYS, () -> 1_000));
    }

    @Override
    int compact() throws InterruptedException {
        try {
            return compactor().run(nextCompanion++, 1_000) == null ? 0 : 1;
        } catch (CompactionException e) {
            return 0; // the containers start again, or another has come before
        }
    }

    private long horizon() {
        return broker.onLoop(log(), () -> log().view().horizon());
    }

    private int generation() {
        return broker.onLoop(log(), () -> log().view().generation());
    }

    private long end() {
        return broker.onLoop(log(), () -> log().readableEnd(Isolation.COMMITTED));
    }

    /** As retention does it: the subscription holds what is not compacted. */
    @Override
    long deletable() {
        return broker.onLoop(log(), () -> {
            Cursor cursor = log().subscriptions().find(SUBSCRIPTION);
            return cursor == null ? start : Math.max(start, cursor.ackedBelow());
        });
    }

    @Override
    void finish() throws Exception {
        awaitCompaction();
        for (int p = 0; p < PRODUCERS; p++) {
            end(p, true);
        }
        check();
        while (compact() > 0) {
            check();
        }
        viewIsWhatCounts();
        restart();
        check();
        viewIsWhatCounts();
        oneCompanionIsLeft();
    }

    @Override
    void check() throws Exception {
        checkLog();
        int before = generation();
        long end = end();
        Map<Integer, Written> seen = new HashMap<>();
        long at = 0;
        while (at < end) {
            Read read = readView(at);
            look(read, byOffset(), seen);
            at = read.next();
        }
        boolean same = generation() == before;
        newest(end).forEach((key, written) -> {
            Written last = seen.get(key);
            boolean deleted = written.value < 0;
            // what is deleted while a reader is on its way it may not hear of, as in Pulsar
            boolean right =
                    deleted ? last == null || last.value < 0 || !same : last != null && last.offset >= written.offset;
            if (!right) {
                throw new AssertionError("of key " + key + " the record at " + written.offset + " does not count");
            }
        });
    }

    private Map<Long, Written> byOffset() {
        Map<Long, Written> byOffset = new HashMap<>();
        model.forEach(w -> byOffset.put(w.offset, w));
        return byOffset;
    }

    /** By key the last record before {@code end} that counts. */
    private Map<Integer, Written> newest(long end) {
        Map<Integer, Written> newest = new HashMap<>();
        model.stream()
                .filter(w -> !w.aborted && w.undecidedOf < 0 && w.offset < end)
                .forEach(w -> newest.put(w.key, w));
        return newest;
    }

    /** A read of the view, and where it ends of the log. */
    private Read readView(long from) throws Exception {
        long horizon = horizon();
        if (from >= horizon) {
            return readLog(from);
        }
        CompletableFuture<@Nullable Read> answer = new CompletableFuture<>();
        broker.onLoop(log(), () -> {
            log().view().read(from, 1 + random.nextInt(500), new EntriesReply() {
                @Override
                public void entries(Entries entries) {
                    answer.complete(new Read(Unpooled.copiedBuffer(entries.bytes()), List.of(), entries.nextOffset()));
                    entries.bytes().release();
                }

                @Override
                public void atEnd() {
                    answer.complete(null);
                }

                @Override
                public void outOfRange(long startOffset, long endOffset) {
                    answer.completeExceptionally(new AssertionError("a view has no range"));
                }

                @Override
                public void failed(StoreFailure why) {
                    answer.completeExceptionally(new AssertionError(why.message()));
                }
            });
            return true;
        });
        Read found = await(answer);
        return found == null ? new Read(Unpooled.EMPTY_BUFFER, List.of(), horizon) : found;
    }

    private Read readLog(long from) throws Exception {
        Read found = read(from);
        if (found == null) {
            throw new AssertionError("nothing to read at " + from + " before the end");
        }
        return found;
    }

    /** Of the log nothing is missing that was written from its start on. */
    private void checkLog() throws Exception {
        long end = end();
        Map<Long, Written> there = new HashMap<>();
        for (long at = start; at < end; ) {
            Read read = readLog(at);
            PartitionScan.forEach(read.entries().nioBuffer(), (b, entry) -> {
                for (Rec rec : SimKeyedEntries.records(b, entry)) {
                    long offset = EntryHeader.baseOffset(b, entry) + rec.delta();
                    there.put(offset, new Written(offset, rec.key(), rec.value(), -1));
                }
            });
            at = read.next();
        }
        for (Written w : model) {
            Written found = there.get(w.offset);
            if (w.offset >= start && w.offset < end && (found == null || found.value != w.value)) {
                throw new AssertionError("the log has lost the record at " + w.offset);
            }
        }
    }

    /** Each key once, at its newest; of deleted ones nothing. */
    private void viewIsWhatCounts() throws Exception {
        long horizon = horizon();
        if (horizon != end()) {
            throw new AssertionError("the view ends at " + horizon + ", the log at " + end());
        }
        Map<Integer, Long> there = new HashMap<>();
        for (long at = 0; at < horizon; ) {
            Read read = readView(at);
            PartitionScan.forEach(read.entries().nioBuffer(), (b, entry) -> {
                for (Rec rec : SimKeyedEntries.records(b, entry)) {
                    if (there.put(rec.key(), EntryHeader.baseOffset(b, entry) + rec.delta()) != null) {
                        throw new AssertionError("the view has key " + rec.key() + " twice");
                    }
                }
            });
            at = read.next();
        }
        Map<Integer, Long> expected = new HashMap<>();
        newest(horizon).forEach((key, w) -> {
            if (w.value >= 0) {
                expected.put(key, w.offset);
            }
        });
        if (!there.equals(expected)) {
            throw new AssertionError("the view has " + there + ", not " + expected);
        }
    }

    private void oneCompanionIsLeft() throws InterruptedException {
        broker.compaction(List.of(format), FEW_KEYS, () -> 1_000).round();
        if (broker.companions().all().size() > 1) {
            throw new AssertionError(
                    "companions are left: " + broker.companions().all());
        }
    }
}
