package io.sluice.broker.log.open;

import static io.sluice.broker.log.open.CraftedBeginning.ACTIVE;
import static io.sluice.broker.log.open.CraftedBeginning.FIRST;
import static io.sluice.broker.log.open.CraftedBeginning.SECOND;
import static io.sluice.broker.log.open.PartitionReadCheck.expect;
import static io.sluice.broker.log.open.PartitionSimModel.PRODUCERS;
import static io.sluice.broker.log.open.PartitionSimModel.SINGLE;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.CompactionTarget;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.open.PartitionSimModel.Written;
import io.sluice.broker.log.state.PlantedTransactions;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.NoRider;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A random history of one partition whose beginning lies in two other segments, has holes within and between entries, and a
 * gap between its extents. Its writers have transactions; its container forgets what is not durable, and starts again.
 */
final class PartitionSim implements AutoCloseable {
    private static final int FIRST_COMPANION = 44;

    private final Random random;
    private final PartitionSimBug bug;
    private final OpenPartitions open = new OpenPartitions();
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final InMemoryContainers containers;
    private final PartitionSimModel model = new PartitionSimModel();
    private final PartitionReadCheck reads = new PartitionReadCheck(model);
    private long start;
    private ByteBuf crafted = Unpooled.EMPTY_BUFFER;
    private final @Nullable Waiting[] waiting = new Waiting[Isolation.values().length];
    private boolean held;
    private long companions;
    private final SimulatedView view;

    PartitionSim(long seed, PartitionSimBug bug) {
        this.random = new Random(seed);
        this.bug = bug;
        PartitionRiderFactory partitions = new PartitionRiderFactory(
                ProducerLimits.DEFAULT,
                open,
                (limits, container, segment) -> PlantedTransactions.state(bug, container, segment));
        containers = InMemoryContainers.callerDriven(
                1, (c, info, attributes, snapshot) -> rider(partitions, c, info, attributes, snapshot), now::get);
        view = new SimulatedView(random, bug, containers, this::log, ACTIVE);
        containers.start();
        craft();
    }

    private SegmentRider rider(
            PartitionRiderFactory partitions,
            SegmentContainer c,
            SegmentInfo info,
            ByteBuf attributes,
            @Nullable ByteBuf snapshot) {
        if (info.segment() != ACTIVE) {
            return new NoRider();
        }
        return partitions.create(c, info, attributes, snapshot == null ? crafted.slice() : snapshot);
    }

    private void craft() {
        crafted = new CraftedBeginning(random, bug, container(), model).craft();
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0).write(attributes);
        container().create(ACTIVE, SegmentKinds.PARTITION, attributes, Durable.IGNORED);
        containers.drain();
        container().rider(ACTIVE).durable(0);
    }

    private InMemoryContainer container() {
        return containers.get(0);
    }

    private PartitionLog log() {
        PartitionLog found = open.find(ACTIVE);
        if (found == null) {
            throw new IllegalStateException("the partition is not open");
        }
        return found;
    }

    /** @throws AssertionError what is seen is not what it has to be */
    void run(int events) {
        checkAll();
        for (int i = 0; i < events; i++) {
            now.addAndGet(random.nextInt(100));
            int what = random.nextInt(100);
            if (what < 35) {
                append();
            } else if (what < 45) {
                endTransaction();
            } else if (what < 55) {
                held = !held;
                if (held) {
                    container().hold();
                } else {
                    container().release();
                }
            } else if (what < 85) {
                readSome();
            } else if (what < 90) {
                readView();
            } else if (what < 94) {
                container().checkpoint();
            } else if (what < 96) {
                restart();
            } else if (what < 97) {
                compactOne();
            } else if (what < 98) {
                container().blockSize(100 + random.nextInt(20_000));
                container().evict(ACTIVE, container().info(ACTIVE) == null ? 0 : random.nextInt(1_000));
            } else {
                deleteSome();
            }
            containers.drain();
            checkEnds();
            checkWaiting();
        }
        held = false;
        container().release();
        containers.drain();
        checkAll();
        view.readAll(model.written);
        view.checkLast();
        view.checkStored(false);
        deleteAll();
        view.readAll(model.written);
        view.drop();
        view.checkStored(true);
    }

    private void readView() {
        if (!held) {
            view.readSome(model.written);
        }
    }

    private void compactOne() {
        if (random.nextBoolean()) {
            compact(random.nextBoolean());
        } else if (!held) {
            view.compact(model.written);
        }
    }

    /** Nothing of an extent is left that lies wholly below the start. */
    private void deleteAll() {
        long end = log().durableEnd();
        log().retention().deleteBefore(end, Durable.IGNORED);
        containers.drain();
        if (container().info(FIRST) != null || container().info(SECOND) != null) {
            throw new AssertionError("a segment of which nothing is left is still there");
        }
        for (long companion = FIRST_COMPANION; companion < FIRST_COMPANION + companions; companion++) {
            if (container().info(companion) != null) {
                throw new AssertionError("companion " + companion + " is still there");
            }
        }
        expect("bytes", 0, log().sizeBytes());
    }

    /** Whoever waits is told once the end has passed it, and not before. */
    private void checkWaiting() {
        for (Isolation isolation : Isolation.values()) {
            Waiting w = waiting[isolation.ordinal()];
            if (w != null && w.log == log()) {
                boolean passed = log().readableEnd(isolation) > w.offset;
                expect("times told that there is more at " + w.offset, passed ? 1 : 0, w.told);
            }
            if (w == null || w.told > 0 || w.log != log()) {
                Waiting next = new Waiting(log(), log().readableEnd(isolation));
                waiting[isolation.ordinal()] = next;
                log().await(next.offset, isolation, next);
            }
        }
    }

    private static final class Waiting implements PartitionLog.TailWaiter {
        private final PartitionLog log;
        private final long offset;
        private int told;

        Waiting(PartitionLog log, long offset) {
            this.log = log;
            this.offset = offset;
        }

        @Override
        public void moreToRead() {
            told++;
        }

        @Override
        public void closed(StoreFailure why) {
            // the container started again
        }
    }

    private void append() {
        int producer = random.nextInt(PRODUCERS + 1);
        int count = 1 + random.nextInt(3);
        int bytes = random.nextInt(500);
        ByteBuf entry = switch (producer) {
            case PRODUCERS -> TestEntries.plain(count, bytes, model.size());
            case SINGLE ->
                TestEntries.pulsarIn(model.idOf(producer), EntryHeader.NO_PRODUCER, 0, count, bytes, model.size());
            default ->
                TestEntries.kafka(producer, (short) 0, -1, count, bytes, model.size())
                        .setShort(21, EntryHeader.TRANSACTIONAL);
        };
        long base = log().sequencedEnd();
        if (producer < PRODUCERS && !model.hasTransaction(producer)) {
            model.beginTransaction(producer, base);
            log().transactions().verified(log().transactions().verify(model.idOf(producer), (short) 0));
        }
        send(entry, new Written(base, base + count - 1, new byte[0], producer == PRODUCERS ? -1 : producer));
    }

    private void endTransaction() {
        int producer = random.nextInt(PRODUCERS);
        if (!model.hasTransaction(producer)) {
            return;
        }
        long marker = log().sequencedEnd();
        boolean commit = random.nextBoolean();
        long id = model.idOf(producer);
        model.endTransaction(producer, marker, commit);
        send(
                EndMarker.entry(UnpooledByteBufAllocator.DEFAULT, id, (short) 0, 1, commit, model.size()),
                new Written(marker, marker, new byte[0], -1));
        model.nextId(producer);
    }

    private void send(ByteBuf entry, Written written) {
        ByteBuf sent = entry.retain();
        log().append(entry, new AppendReply() {
            @Override
            public void appended(long baseOffset, long lastOffset) {
                model.durable(baseOffset);
            }

            @Override
            public void duplicate(long baseOffset, long lastOffset) {
                throw new AssertionError("nothing is sent twice");
            }

            @Override
            public void rejected(AppendRejection why) {
                throw new AssertionError(why.toString());
            }

            @Override
            public void failed(StoreFailure why) {
                // the container started again; what it forgot is taken out of the model there
            }
        });
        model.written.add(copyOf(written, sent));
        sent.release();
    }

    private static Written copyOf(Written written, ByteBuf entry) {
        return new Written(written.base, written.last, ByteBufUtil.getBytes(entry), written.producer);
    }

    /** What is not durable is gone; what is, stays. */
    private void restart() {
        containers.restart();
        held = false;
        view.checkLast();
        model.restart();
    }

    private void deleteSome() {
        long end = log().readableEnd(Isolation.COMMITTED);
        if (end > start) {
            delete(start + random.nextLong(Math.min(end - start, 60)));
        }
    }

    private void delete(long before) {
        if (before >= start) {
            start = before;
            log().retention().deleteBefore(start, Durable.IGNORED);
            held = false;
            container().release();
        }
    }

    /**
     * Leaves out what was aborted and some of the rest of a beginning of the log; markers stay.
     *
     * @param overtaken some of it is deleted before the companion is put in place
     */
    private void compact(boolean overtaken) {
        if (held) {
            return;
        }
        CompactionTarget.Boundary end = log().compaction().cleanableTo(Long.MAX_VALUE);
        // of an aborted entry nothing may stay, and something has to of the last
        boolean lastIsAborted = model.written.stream().anyMatch(w -> w.last + 1 == end.offset() && w.aborted);
        if (end.offset() <= start || lastIsAborted) {
            return;
        }
        long companion = FIRST_COMPANION + companions++;
        CompanionIndex index = new CompanionIndex();
        ByteBuf left = Unpooled.buffer();
        List<Written> gone = new ArrayList<>();
        List<Written> kept = new ArrayList<>();
        for (Written w : model.written) {
            boolean marker = w.bytes.length == EndMarker.SIZE && EndMarker.is(Unpooled.wrappedBuffer(w.bytes), 0);
            boolean stays = marker || w.last + 1 == end.offset();
            if (w.last < end.offset() && !stays && (w.aborted || random.nextInt(4) == 0)) {
                gone.add(w);
            } else if (bug == PartitionSimBug.COMPACTION_LOSES_AN_ENTRY && w.base % 7 == 3) {
                continue;
            } else if (w.last < end.offset() && w.last >= start) {
                if (bug != PartitionSimBug.COMPANION_BRINGS_DELETED_BACK || !left.isReadable()) {
                    index.add(w.base, left.writerIndex() + (bug == PartitionSimBug.COMPANION_INDEX_IS_OFF ? 1 : 0), 1);
                }
                kept.add(w);
                EntryHeader.assign(left.writeBytes(w.bytes), left.writerIndex() - w.bytes.length, w.base, 1);
            }
        }
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0, ACTIVE).write(attributes);
        container().create(companion, SegmentKinds.COMPANION, attributes, Durable.IGNORED);
        long length = left.readableBytes();
        if (length > 0) {
            container().store(companion, left, Durable.IGNORED);
        }
        if (overtaken) {
            deleteSome();
            containers.drain();
        }
        replace(companion, length, index, end);
        model.written.removeAll(gone);
        containers.drain();
        checkBytes(kept, end.offset());
    }

    /** Nothing of a companion is left below the start but the last entry that begins there. */
    private void checkBytes(List<Written> companion, long end) {
        long from = companion.stream()
                .mapToLong(w -> w.base)
                .filter(base -> base <= start)
                .max()
                .orElse(start);
        long most = model.written.stream()
                .filter(w -> w.last >= start || w.base == from)
                .mapToLong(w -> w.bytes.length)
                .sum();
        // of more entries the index does not know each
        if (end > start && companion.size() < OffsetIndex.EXACT && log().sizeBytes() > most) {
            throw new AssertionError("of " + most + " bytes that are not deleted there are " + log().sizeBytes());
        }
    }

    private void replace(long companion, long length, CompanionIndex index, CompactionTarget.Boundary end) {
        boolean overtaken = end.offset() <= start;
        log().compaction()
                .replace(
                        companion,
                        length,
                        index,
                        end,
                        Durable.of(
                                () -> {
                                    if (overtaken) {
                                        throw new AssertionError(
                                                "all that " + companion + " has is deleted, and it was taken");
                                    }
                                },
                                why -> {
                                    if (!overtaken) {
                                        throw new AssertionError(why.message());
                                    }
                                    container().delete(companion, Durable.IGNORED);
                                }));
    }

    private void checkEnds() {
        expect("durable end", model.durableEnd(), log().durableEnd());
        expect(
                "committed end",
                Math.min(model.durableEnd(), model.committedEnd()),
                log().readableEnd(Isolation.COMMITTED));
    }

    private void readSome() {
        Isolation isolation = random.nextBoolean() ? Isolation.COMMITTED : Isolation.UNCOMMITTED;
        long end = log().readableEnd(isolation);
        if (end > start) {
            read(start + random.nextLong(end - start), 1 + random.nextInt(200_000), isolation);
        }
    }

    private void checkAll() {
        checkEnds();
        for (Isolation isolation : Isolation.values()) {
            for (long at = start; at < log().readableEnd(isolation); ) {
                at = read(at, 100_000, isolation);
            }
        }
    }

    /** Reads once, compares, and gives where to go on. */
    private long read(long offset, int maxBytes, Isolation isolation) {
        Answers answers = new Answers();
        log().read(offset, maxBytes, isolation, answers);
        for (int turns = 0; turns < 10_000; turns++) {
            String answer = answers.next();
            if (answer == null) {
                if (turns == 0) {
                    overtake(offset);
                }
                containers.doWork();
            } else if (answer.startsWith("entries")) {
                return reads.compare(log(), offset, answers.lastRead(), answers.nextOffset(), isolation);
            } else if (offset < start && answer.startsWith("out of range")) {
                return start;
            } else {
                throw new AssertionError("a read at " + offset + " was answered " + answer);
            }
        }
        throw new AssertionError("a read at " + offset + " was not answered");
    }

    /** While a read of this offset waits for bytes. */
    private void overtake(long offset) {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> compact(false);
            case 4 -> delete(Math.min(offset + random.nextInt(20), log().readableEnd(Isolation.COMMITTED)));
            default -> {}
        }
    }

    @Override
    public void close() {
        containers.close();
    }
}
