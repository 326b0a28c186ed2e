package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.CompactedView;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.broker.log.open.PartitionSimModel.Written;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;

/** The compacted view of a simulated partition: what was left of it, and what its readers see. */
final class SimulatedView {
    private static final long FIRST_COMPANION = 10_000;

    private final Random random;
    private final PartitionSimBug bug;
    private final InMemoryContainers containers;
    private final Supplier<PartitionLog> log;
    private final long partition;
    private List<Written> left = List.of();
    private long horizon;
    private long companions;
    private int reads;

    SimulatedView(
            Random random,
            PartitionSimBug bug,
            InMemoryContainers containers,
            Supplier<PartitionLog> log,
            long partition) {
        this.random = random;
        this.bug = bug;
        this.containers = containers;
        this.log = log;
        this.partition = partition;
    }

    private InMemoryContainer container() {
        return containers.get(0);
    }

    /** Leaves out what does not count and some of the rest, of the view and of the log behind it. */
    void compact(List<Written> written) {
        long end = log.get().readableEnd(Isolation.COMMITTED);
        if (end <= horizon) {
            return;
        }
        List<Written> kept = new ArrayList<>();
        left.stream().filter(w -> random.nextInt(4) > 0).forEach(kept::add);
        for (Written w : written) {
            boolean marker = w.bytes.length == EndMarker.SIZE && EndMarker.is(Unpooled.wrappedBuffer(w.bytes), 0);
            boolean counts =
                    w.base >= horizon && w.last < end && w.base >= log.get().startOffset();
            if (counts && !marker && !w.aborted && random.nextInt(4) > 0) {
                kept.add(w);
            }
        }
        left = kept;
        put(kept, end);
        horizon = end;
    }

    private void put(List<Written> kept, long end) {
        CompanionIndex index = new CompanionIndex();
        ByteBuf bytes = Unpooled.buffer();
        for (Written w : kept) {
            if (bug == PartitionSimBug.VIEW_LOSES_AN_ENTRY && w.base % 7 == 3) {
                continue;
            }
            int at = bytes.writerIndex();
            index.add(w.base, bug == PartitionSimBug.VIEW_INDEX_IS_OFF && at > 0 ? at - 1 : at, 1);
            EntryHeader.assign(bytes.writeBytes(w.bytes), at, w.base, 1);
        }
        long companion = FIRST_COMPANION + companions++;
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0, partition).write(attributes);
        container().create(companion, SegmentKinds.COMPANION, attributes, Durable.IGNORED);
        long length = bytes.readableBytes();
        if (length > 0) {
            container().store(companion, bytes, Durable.IGNORED);
        } else {
            container().delete(companion, Durable.IGNORED);
        }
        long to = bug == PartitionSimBug.VIEW_HIDES_MORE_THAN_IT_HAS ? end + 1 : end;
        CompactedView view = log.get().view();
        view.replace(
                new CompactedView.Companion(companion, length, index),
                to,
                view.generation(),
                Durable.of(() -> {}, why -> {
                    throw new AssertionError(why.message());
                }));
        containers.drain();
    }

    /** One read of the view from anywhere, with what comes next in the log behind its end. */
    void readSome(List<Written> written) {
        if (horizon > 0) {
            read(random.nextLong(horizon), 1 + random.nextInt(200_000), written);
        }
    }

    void readAll(List<Written> written) {
        for (long at = 0; at < horizon; ) {
            at = read(at, 100_000, written);
        }
    }

    private long read(long offset, int maxBytes, List<Written> written) {
        Answers answers = new Answers();
        log.get().view().read(offset, maxBytes, answers);
        reads++;
        for (int turns = 0; turns < 10_000; turns++) {
            String answer = answers.next();
            if (answer == null) {
                if (turns == 0 && reads % 3 == 0) {
                    compact(written);
                }
                containers.doWork();
            } else if (answer.startsWith("entries")) {
                return compare(offset, answers.lastRead(), answers.nextOffset());
            } else if (answer.equals("at end")) {
                if (left.stream().anyMatch(w -> w.last >= offset)) {
                    throw new AssertionError("the view ends at " + offset + " and has more");
                }
                checkHorizon(written);
                return horizon;
            } else {
                throw new AssertionError("a read of the view at " + offset + " was answered " + answer);
            }
        }
        throw new AssertionError("a read of the view at " + offset + " was not answered");
    }

    /** Every entry of the log is before the horizon or behind it. */
    private void checkHorizon(List<Written> written) {
        long seen = log.get().view().horizon();
        if (seen != horizon || written.stream().anyMatch(w -> w.base < seen && w.last >= seen)) {
            throw new AssertionError("the horizon is " + seen + ", not " + horizon);
        }
    }

    private long compare(long offset, ByteBuf got, long next) {
        int i = 0;
        while (i < left.size() && left.get(i).last < offset) {
            i++;
        }
        for (int at = 0; at < got.writerIndex(); i++) {
            if (i == left.size()) {
                throw new AssertionError("the view has more than was left");
            }
            Written w = left.get(i);
            boolean same = EntryHeader.baseOffset(got, at) == w.base && EntryHeader.size(got, at) == w.bytes.length;
            byte[] bytes = ByteBufUtil.getBytes(got, at, same ? w.bytes.length : 16);
            System.arraycopy(bytes, 0, w.bytes, 0, same ? 16 : 0); // offset and epoch are the log's
            if (!same || !Arrays.equals(bytes, w.bytes)) {
                throw new AssertionError("where the view has " + w.base + " a reader at " + offset + " finds "
                        + EntryHeader.baseOffset(got, at));
            }
            at += w.bytes.length;
        }
        if (next != left.get(i - 1).last + 1) {
            throw new AssertionError("the next offset of a read of the view is " + next);
        }
        return next;
    }

    /** As the state has it: who goes on from here finds what was there. */
    void checkLast() {
        long expected = left.isEmpty() ? -1 : left.getLast().base;
        if (log.get().view().last() != expected) {
            throw new AssertionError(
                    "the last entry of the view is " + log.get().view().last() + ", not " + expected);
        }
    }

    /** What is stored of views; of earlier ones nothing is left. */
    void checkStored(boolean dropped) {
        for (long companion = FIRST_COMPANION; companion < FIRST_COMPANION + companions; companion++) {
            boolean wanted = !dropped && !left.isEmpty() && companion == FIRST_COMPANION + companions - 1;
            if ((container().info(companion) != null) != wanted) {
                throw new AssertionError("companion " + companion + " is " + (wanted ? "gone" : "still there"));
            }
        }
    }

    void drop() {
        log.get().view().drop(Durable.IGNORED);
        containers.drain();
        left = List.of();
        horizon = 0;
    }
}
