package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.CompactionTarget;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.state.PartitionSnapshot;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.broker.log.state.PlantedTransactions;
import io.sluice.broker.log.state.StatePart;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.NoRider;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A random history of one partition whose beginning lies in two other segments, has holes within and between entries, and a
 * gap between its extents. Its writers have transactions; its container forgets what is not durable, and starts again.
 */
final class PartitionSim implements AutoCloseable {
    private static final long FIRST = 41;
    private static final long SECOND = 42;
    private static final long ACTIVE = 43;
    /** Bytes of something else before the second extent. */
    private static final int BEFORE_SECOND = 100;

    private static final int FIRST_COMPANION = 44;
    private static final int GAP = 500;
    private static final int PRODUCERS = 3;

    /** This one of them has an id for each transaction. */
    private static final int SINGLE = 2;

    private final Random random;
    private final PartitionSimBug bug;
    private final OpenPartitions open = new OpenPartitions();
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final InMemoryContainers containers;
    private final List<Written> model = new ArrayList<>();
    private long start;
    private ByteBuf crafted = Unpooled.EMPTY_BUFFER;
    /** Of each producer, the first offset of its open transaction, or -1; as of what is sequenced. */
    private final long[] transaction = new long[PRODUCERS];

    private long singles = ProducerIds.single(0);

    private final @Nullable Waiting[] waiting = new Waiting[Isolation.values().length];
    private boolean held;
    private long companions;
    private final SimulatedView view;

    /** An entry; its transaction, if it was in one, is over once the marker at {@link #marker} is durable. */
    static final class Written {
        final long base;
        final long last;
        final byte[] bytes;
        private final int producer;
        private long marker = Long.MAX_VALUE;
        boolean aborted;
        private boolean durable;

        Written(long base, long last, byte[] bytes, int producer) {
            this.base = base;
            this.last = last;
            this.bytes = bytes;
            this.producer = producer;
        }
    }

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
        for (int p = 0; p < PRODUCERS; p++) {
            transaction[p] = -1;
        }
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

    /** Fills the two older segments, and makes the snapshot of a partition that goes on in the active one. */
    private void craft() {
        ByteBuf none = Unpooled.EMPTY_BUFFER;
        container().create(FIRST, (byte) 2, none, Durable.IGNORED);
        container().create(SECOND, (byte) 2, none, Durable.IGNORED);
        container().append(SECOND, Unpooled.wrappedBuffer(new byte[BEFORE_SECOND]), Durable.IGNORED);
        OffsetIndex index = new OffsetIndex();
        long firstEnd = fill(FIRST, 0, 0, index);
        long second = firstEnd + GAP;
        long secondEnd = fill(SECOND, second, model.getLast().last + 1, index);
        StatePart offsets = new PartitionState(ProducerLimits.DEFAULT, 0, ACTIVE).offsets();
        offsets.restore((byte) 1, offsets(firstEnd, second, secondEnd, index));
        crafted = Unpooled.buffer();
        PartitionSnapshot.write(List.of(offsets), crafted);
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0).write(attributes);
        container().create(ACTIVE, SegmentKinds.PARTITION, attributes, Durable.IGNORED);
        containers.drain();
        container().rider(ACTIVE).durable(0);
    }

    private ByteBuf offsets(long firstEnd, long second, long secondEnd, OffsetIndex index) {
        ByteBuf out = Unpooled.buffer();
        Packed.writeUnsigned(out, model.getLast().last + 1);
        Packed.writeUnsigned(out, secondEnd);
        Packed.writeUnsigned(out, 0);
        Packed.writeUnsigned(out, 0);
        Packed.writeUnsigned(out, 0);
        out.writeByte(2);
        Packed.writeUnsigned(out, FIRST);
        Packed.writeUnsigned(out, 3);
        extent(out, 0, FIRST, 0);
        Packed.writeUnsigned(out, bug == PartitionSimBug.EXTENT_ENDS_TOO_LATE ? firstEnd + 1 : firstEnd);
        extent(out, second, SECOND, BEFORE_SECOND);
        Packed.writeUnsigned(out, secondEnd - second);
        extent(out, secondEnd, ACTIVE, 0);
        index.snapshot(out);
        return out;
    }

    private static void extent(ByteBuf out, long position, long segment, long segmentPosition) {
        Packed.writeUnsigned(out, position);
        Packed.writeUnsigned(out, segment);
        Packed.writeUnsigned(out, segmentPosition);
    }

    /** Appends entries with holes; gives the position after the last one. */
    private long fill(long segment, long position, long firstOffset, OffsetIndex index) {
        long at = position;
        long offset = firstOffset;
        boolean off = false;
        for (int i = 0; i < 40; i++) {
            boolean hole = random.nextInt(4) == 0;
            offset += hole ? 1 + random.nextInt(9) : 0;
            int count = 1 + random.nextInt(3);
            int span = count + (random.nextInt(3) == 0 ? random.nextInt(6) : 0);
            // large, so that the snapshot's index has a point for many of them
            ByteBuf entry = TestEntries.plain(count, 30_000 + random.nextInt(50_000), model.size());
            EntryHeader.assign(entry, 0, offset, 1);
            entry.setInt(23, span - 1);
            Written written = new Written(offset, offset + span - 1, ByteBufUtil.getBytes(entry), -1);
            written.durable = true;
            model.add(written);
            boolean misplaced = hole && !off && i > 2 && i < 39 && bug == PartitionSimBug.INDEX_IS_OFF_BY_ONE_AT_A_HOLE;
            off |= misplaced;
            index.add(offset, misplaced ? at + entry.readableBytes() : at, model.size());
            at += entry.readableBytes();
            offset += span;
            container().append(segment, entry, Durable.IGNORED);
            entry.release();
        }
        return at;
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
        view.readAll(model);
        view.checkLast();
        view.checkStored(false);
        deleteAll();
        view.readAll(model);
        view.drop();
        view.checkStored(true);
    }

    private void readView() {
        if (!held) {
            view.readSome(model);
        }
    }

    private void compactOne() {
        if (random.nextBoolean()) {
            compact(random.nextBoolean());
        } else if (!held) {
            view.compact(model);
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
            case SINGLE -> TestEntries.pulsarIn(idOf(producer), EntryHeader.NO_PRODUCER, 0, count, bytes, model.size());
            default ->
                TestEntries.kafka(producer, (short) 0, -1, count, bytes, model.size())
                        .setShort(21, EntryHeader.TRANSACTIONAL);
        };
        long base = log().sequencedEnd();
        if (producer < PRODUCERS && transaction[producer] < 0) {
            transaction[producer] = base;
            log().transactions().verified(log().transactions().verify(idOf(producer), (short) 0));
        }
        send(entry, new Written(base, base + count - 1, new byte[0], producer == PRODUCERS ? -1 : producer));
    }

    private long idOf(int producer) {
        return producer == SINGLE ? singles : producer;
    }

    private void endTransaction() {
        int producer = random.nextInt(PRODUCERS);
        if (transaction[producer] < 0) {
            return;
        }
        long marker = log().sequencedEnd();
        boolean commit = random.nextBoolean();
        for (Written w : model) {
            if (w.producer == producer && w.base >= transaction[producer]) {
                w.marker = marker;
                w.aborted = !commit;
            }
        }
        transaction[producer] = -1;
        send(
                EndMarker.entry(UnpooledByteBufAllocator.DEFAULT, idOf(producer), (short) 0, 1, commit, model.size()),
                new Written(marker, marker, new byte[0], -1));
        singles += producer == SINGLE ? 1 : 0;
    }

    private void send(ByteBuf entry, Written written) {
        ByteBuf sent = entry.retain();
        log().append(entry, new AppendReply() {
            @Override
            public void appended(long baseOffset, long lastOffset) {
                model.stream().filter(w -> w.base == baseOffset).forEach(w -> w.durable = true);
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
        model.add(copyOf(written, sent));
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
        model.removeIf(w -> !w.durable);
        for (Written w : model) {
            boolean markerThere = model.stream().anyMatch(m -> m.base == w.marker);
            w.marker = markerThere ? w.marker : Long.MAX_VALUE;
            w.aborted &= markerThere;
        }
        for (int p = 0; p < PRODUCERS; p++) {
            int producer = p;
            transaction[p] = model.stream()
                    .filter(w -> w.producer == producer && w.marker == Long.MAX_VALUE)
                    .mapToLong(w -> w.base)
                    .min()
                    .orElse(-1);
        }
        singles = model.stream()
                .filter(w -> w.producer == SINGLE && w.marker == Long.MAX_VALUE)
                .mapToLong(w -> EntryHeader.transactionProducerId(Unpooled.wrappedBuffer(w.bytes), 0))
                .findFirst()
                .orElse(singles + 1);
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
        boolean lastIsAborted = model.stream().anyMatch(w -> w.last + 1 == end.offset() && w.aborted);
        if (end.offset() <= start || lastIsAborted) {
            return;
        }
        long companion = FIRST_COMPANION + companions++;
        CompanionIndex index = new CompanionIndex();
        ByteBuf left = Unpooled.buffer();
        List<Written> gone = new ArrayList<>();
        List<Written> kept = new ArrayList<>();
        for (Written w : model) {
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
        model.removeAll(gone);
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
        long most = model.stream()
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

    private boolean isDurable(long offset) {
        return model.stream().anyMatch(w -> w.base == offset && w.durable);
    }

    /** As the model has it: the first durable entry of a transaction whose marker is not durable. */
    private long committedEnd() {
        return model.stream()
                .filter(w -> w.producer >= 0 && !isDurable(w.marker))
                .mapToLong(w -> w.base)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private long durableEnd() {
        return model.stream()
                .filter(w -> w.durable)
                .mapToLong(w -> w.last + 1)
                .max()
                .orElse(0);
    }

    private void checkEnds() {
        expect("durable end", durableEnd(), log().durableEnd());
        expect("committed end", Math.min(durableEnd(), committedEnd()), log().readableEnd(Isolation.COMMITTED));
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
                return compare(offset, answers.lastRead(), answers.nextOffset(), isolation);
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

    private long compare(long offset, ByteBuf got, long next, Isolation isolation) {
        boolean committed = isolation == Isolation.COMMITTED;
        long end = committed ? Math.min(durableEnd(), committedEnd()) : durableEnd();
        Reader reader = new Reader(committed ? log().transactions().abortedIn(offset, next) : List.of());
        int i = 0;
        while (model.get(i).last < offset) {
            i++;
        }
        for (int at = 0; at < got.writerIndex(); i++) {
            Written w = model.get(i);
            expect("an entry", w.base, EntryHeader.baseOffset(got, at));
            if (w.base >= end) {
                throw new AssertionError("an entry at " + w.base + " is shown, the end is " + end);
            }
            byte[] bytes = ByteBufUtil.getBytes(got, at, w.bytes.length);
            System.arraycopy(bytes, 0, w.bytes, 0, 16); // offset and epoch are the log's
            if (!java.util.Arrays.equals(bytes, w.bytes)) {
                throw new AssertionError("the entry at " + w.base + " is not what was written");
            }
            if (reader.leavesOut(got, at) != (committed && w.aborted)) {
                throw new AssertionError("an entry at " + w.base + " of a transaction that was "
                        + (w.aborted ? "aborted is shown" : "not aborted is left out"));
            }
            at += w.bytes.length;
        }
        expect("the next offset of a read", model.get(i - 1).last + 1, next);
        return next;
    }

    /** Leaves out what was aborted, as Kafka's consumers do. */
    private static final class Reader {
        private final List<Aborted> toCome;
        private final Set<Long> producers = new HashSet<>();

        Reader(List<Aborted> aborted) {
            toCome = new ArrayList<>(aborted);
        }

        boolean leavesOut(ByteBuf b, int at) {
            long producer = EntryHeader.transactionProducerId(b, at);
            toCome.removeIf(
                    each -> each.firstOffset() <= EntryHeader.lastOffset(b, at) && producers.add(each.producerId()));
            if (EntryHeader.isControl(b, at)) {
                producers.remove(producer);
                return false;
            }
            return EntryHeader.isTransactional(b, at) && producers.contains(producer);
        }
    }

    private static void expect(String what, long expected, long got) {
        if (expected != got) {
            throw new AssertionError(what + " is " + got + ", not " + expected);
        }
    }

    @Override
    public void close() {
        containers.close();
    }
}
