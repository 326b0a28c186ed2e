package io.sluice.broker.compaction;

import io.sluice.broker.compaction.SimKeyedEntries.Rec;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Isolation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One compacted partition with plain and transactional writers, a map with room for few keys, and containers that start again whenever
 * it comes: a compaction under way is cut off anywhere. Readers see each key's newest record, at its offset, and nothing that was aborted.
 */
final class CompactionSim extends KeyedSim {
    CompactionSim(long seed, CompactionSimBug bug) {
        super(seed, bug, 0, Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0"));
    }

    private CompactionScheduler compactor() {
        return broker.compaction(List.of(format), FEW_KEYS, () -> 1_000);
    }

    @Override
    int compact() throws InterruptedException {
        return compactor().round();
    }

    @Override
    long deletable() {
        return broker.onLoop(log(), () -> log().readableEnd(Isolation.COMMITTED));
    }

    @Override
    void finish() throws Exception {
        awaitCompaction();
        for (int p = 0; p < PRODUCERS; p++) {
            end(p, true);
        }
        check();
        long before = -1;
        CompactionScheduler last = compactor();
        while (last.round() > 0 && compacted() > before) {
            before = compacted();
        }
        check();
        eachKeyIsThereOnce();
        restart();
        check();
    }

    private long compacted() {
        return broker.onLoop(log(), () -> log().compaction().compactedTo());
    }

    /** Goes from the start to the end, whatever is compacted meanwhile. */
    @Override
    void check() throws Exception {
        Map<Integer, Written> seen = new HashMap<>();
        Map<Long, Written> byOffset = new HashMap<>();
        model.forEach(w -> byOffset.put(w.offset, w));
        long end = broker.onLoop(log(), () -> log().readableEnd(Isolation.COMMITTED));
        long at = start;
        while (at < end) {
            Read read = read(at);
            if (read == null) {
                throw new AssertionError("nothing to read at " + at + " before the end " + end);
            }
            look(read, byOffset, seen);
            at = read.next();
        }
        for (Written w : model) {
            boolean counts = !w.aborted && w.undecidedOf < 0 && w.offset >= start && w.offset < end;
            Written last = seen.get(w.key);
            if (counts && (last == null || last.offset < w.offset)) {
                throw new AssertionError("of key " + w.key + " the record at " + w.offset + " is not found");
            }
        }
    }

    private void eachKeyIsThereOnce() throws Exception {
        long end = compacted();
        Map<Integer, Long> keys = new HashMap<>();
        for (long at = start; at < end; ) {
            Read read = read(at);
            if (read == null) {
                return;
            }
            PartitionScan.forEach(read.entries().nioBuffer(), (b, entry) -> {
                for (Rec rec : SimKeyedEntries.records(b, entry)) {
                    long offset = EntryHeader.baseOffset(b, entry) + rec.delta();
                    Long before = offset < end ? keys.put(rec.key(), offset) : null;
                    if (before != null) {
                        throw new AssertionError("key " + rec.key() + " is at " + before + " and at " + offset);
                    }
                }
            });
            at = read.next();
        }
    }
}
