package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.CompactedView;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainers;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The compacted view of a partition that moves: it keeps all that it was given, also what the log has no more. */
final class MovedView {
    private final InMemoryContainers containers;
    private final Supplier<@Nullable PartitionLog> find;
    private final LongSupplier segments;
    private final long partition;
    /** Segments that were made, with their containers. */
    private final Map<Long, Integer> companions = new HashMap<>();
    /** By offset what the last view has that no failure takes back. */
    private Map<Long, Long> safe = new TreeMap<>();

    private int made;

    MovedView(
            InMemoryContainers containers,
            Supplier<@Nullable PartitionLog> find,
            LongSupplier segments,
            long partition) {
        this.containers = containers;
        this.find = find;
        this.segments = segments;
        this.partition = partition;
    }

    int made() {
        return made;
    }

    private interface Reading {
        void read(long offset, Answers answers);
    }

    /** Gives null if the partition moves away meanwhile. */
    private @Nullable ByteBuf readAll(Reading reading, long from, long end) {
        ByteBuf all = Unpooled.buffer();
        for (long at = from; at < end; ) {
            Answers answers = new Answers();
            reading.read(at, answers);
            String answer = answers.next();
            for (int turns = 0; answer == null && turns < 10_000; turns++) {
                containers.doWork();
                answer = answers.next();
            }
            if (answer != null && answer.equals("at end")) {
                return all;
            }
            if (answer == null || !answer.startsWith("entries")) {
                return null;
            }
            ByteBuf read = answers.lastRead();
            for (int i = 0; i < read.writerIndex(); i += EntryHeader.size(read, i)) {
                all.writeBytes(read, i, EntryHeader.baseOffset(read, i) < end ? EntryHeader.size(read, i) : 0);
            }
            at = answers.nextOffset();
        }
        return all;
    }

    private static @Nullable ByteBuf both(@Nullable ByteBuf first, @Nullable ByteBuf second) {
        return first == null || second == null ? null : Unpooled.wrappedBuffer(first, second);
    }

    private @Nullable ByteBuf read(PartitionLog log) {
        return readAll(
                (at, answers) -> log.view().read(at, 10_000, answers),
                0,
                log.view().horizon());
    }

    /** Gives the view all that it has, and what the log has behind it. */
    void compact() {
        PartitionLog log = find.get();
        if (log == null || log.durableEnd() <= Math.max(log.view().horizon(), log.startOffset())) {
            return;
        }
        int generation = log.view().generation();
        long end = log.durableEnd();
        long from = Math.max(log.view().horizon(), log.startOffset());
        Reading rest = (at, answers) -> log.read(at, 10_000, Isolation.UNCOMMITTED, answers);
        ByteBuf all = both(read(log), readAll(rest, from, end));
        if (all == null || find.get() != log) {
            return;
        }
        Map<Long, Long> content = new TreeMap<>();
        CompanionIndex index = new CompanionIndex();
        for (int i = 0; i < all.writerIndex(); i += EntryHeader.size(all, i)) {
            index.add(EntryHeader.baseOffset(all, i), i, EntryHeader.maxTimestamp(all, i));
        }
        MovedReads.take(all, content);
        long companion = segments.getAsLong();
        companions.put(companion, log.container().id());
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0, partition).write(attributes);
        log.container().create(companion, SegmentKinds.COMPANION, attributes, Durable.IGNORED);
        long length = all.readableBytes();
        log.container().store(companion, all, Durable.IGNORED);
        log.view()
                .replace(
                        new CompactedView.Companion(companion, length, index),
                        end,
                        generation,
                        Durable.of(
                                () -> {
                                    safe = content;
                                    made++;
                                },
                                why -> {
                                    // it was made in vain
                                }));
    }

    /** @param ledgers of acknowledged messages, by offset */
    void check(PartitionLog log, Map<Long, Long> told, SortedMap<Long, Long> ledgers) {
        ByteBuf all = read(log);
        if (all == null) {
            throw new AssertionError("the view cannot be read");
        }
        Map<Long, Long> there = new TreeMap<>();
        MovedReads.take(all, there);
        safe.forEach((offset, what) -> {
            if (!what.equals(there.get(offset))) {
                throw new AssertionError("the view has lost what it had at " + offset);
            }
        });
        there.forEach((offset, what) -> {
            if (told.containsKey(offset) && !what.equals(told.get(offset))) {
                throw new AssertionError("the view has something else at " + offset);
            }
            if (ledgers.containsKey(offset) && log.ledgerAt(offset) != ledgers.get(offset)) {
                throw new AssertionError("message " + offset + " of the view has another ledger now");
            }
        });
    }

    /** Of views nothing is left. */
    void drop(PartitionLog log) {
        log.view().drop(Durable.IGNORED);
        containers.drain();
        log.retention().removeElsewhere();
        containers.drain();
        companions.forEach((companion, in) -> {
            boolean there = containers.get(in).info(companion) != null;
            if (there && log.compaction().has(companion)) {
                throw new AssertionError("companion " + companion + " is left in " + in);
            }
        });
    }
}
