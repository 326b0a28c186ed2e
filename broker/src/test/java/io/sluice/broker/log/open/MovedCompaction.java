package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.CompactionTarget;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainers;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Companions of a partition that moves: compaction of its beginning, and what brings home what it left in other containers. */
final class MovedCompaction {
    private final InMemoryContainers containers;
    private final Supplier<@Nullable PartitionLog> find;
    private final LongSupplier segments;
    private final long partition;
    private int compactions;
    private int gathered;

    MovedCompaction(
            InMemoryContainers containers,
            Supplier<@Nullable PartitionLog> find,
            LongSupplier segments,
            long partition) {
        this.containers = containers;
        this.find = find;
        this.segments = segments;
        this.partition = partition;
    }

    /** Times that a partition took along what it had left. */
    int gathered() {
        return gathered;
    }

    /** Times that a companion took the place of something. */
    int compactions() {
        return compactions;
    }

    /** Puts a companion with all that is there in the place of a beginning of the log. */
    void compact() {
        PartitionLog log = find.get();
        if (log == null) {
            return;
        }
        CompactionTarget.Boundary end = log.compaction().cleanableTo(Long.MAX_VALUE);
        CompanionIndex index = new CompanionIndex();
        ByteBuf all = readBefore(log, end, index);
        if (all == null || end.offset() <= log.startOffset()) {
            return;
        }
        long length = all.readableBytes();
        long companion = store(log, all);
        log.compaction().replace(companion, length, index, end, Durable.IGNORED);
        compactions++;
    }

    /** Takes along what was left in other containers. */
    void gather() {
        PartitionLog log = find.get();
        CompactionTarget.Boundary end = log == null || !log.compaction().liesElsewhere()
                ? null
                : log.compaction().elsewhereTo();
        if (log == null || end == null) {
            return;
        }
        CompanionIndex index = new CompanionIndex();
        ByteBuf all = readBefore(log, end, index);
        if (all == null) {
            return;
        }
        long length = all.readableBytes();
        long companion = store(log, all);
        long compactedTo = log.compaction().compactedTo();
        log.compaction().gather(companion, length, index, end, Durable.of(() -> gathered++, why -> {
            log.container().delete(companion, Durable.IGNORED); // some of it was deleted meanwhile
        }));
        if (log.compaction().compactedTo() != compactedTo) {
            throw new AssertionError("what was only copied counts as compacted");
        }
    }

    /** Null if the partition has left meanwhile. */
    private @Nullable ByteBuf readBefore(PartitionLog log, CompactionTarget.Boundary end, CompanionIndex index) {
        ByteBuf all = Unpooled.buffer();
        for (long at = log.startOffset(); at < end.offset(); ) {
            Answers answers = new Answers();
            log.read(at, 10_000, Isolation.UNCOMMITTED, answers);
            String answer = answers.next();
            for (int turns = 0; answer == null && turns < 10_000; turns++) {
                containers.doWork();
                answer = answers.next();
            }
            if (answer == null || !answer.startsWith("entries")) {
                return null;
            }
            ByteBuf read = answers.lastRead();
            for (int i = 0; i < read.writerIndex(); i += EntryHeader.size(read, i)) {
                if (EntryHeader.baseOffset(read, i) < end.offset()) {
                    index.add(EntryHeader.baseOffset(read, i), all.writerIndex(), EntryHeader.maxTimestamp(read, i));
                    all.writeBytes(read, i, EntryHeader.size(read, i));
                }
            }
            at = answers.nextOffset();
        }
        return find.get() == log ? all : null;
    }

    /** Gives the id of a companion that has these bytes. */
    private long store(PartitionLog log, ByteBuf all) {
        long companion = segments.getAsLong();
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0, partition).write(attributes);
        log.container().create(companion, SegmentKinds.COMPANION, attributes, Durable.IGNORED);
        if (all.isReadable()) {
            log.container().store(companion, all, Durable.IGNORED);
        }
        return companion;
    }
}
