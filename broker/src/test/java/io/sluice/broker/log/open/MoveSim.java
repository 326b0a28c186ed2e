package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
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
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.broker.log.state.PartitionSnapshot;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.broker.log.state.StatePart;
import io.sluice.broker.subscription.Cursor;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A partition that moves between three containers again and again, with idempotent producers, a subscription and retention,
 * and a crash at any step of a move. The logs of some defer the sync, and a crash of their machine takes what was not synced, and
 * nothing else: what was acknowledged elsewhere, or before the last sync, stays. What producers were told is there once, in order; what the subscription was told is
 * acknowledged; offsets have no holes; the leader epoch never falls; a message id never means two messages, and those that are left keep theirs.
 */
final class MoveSim implements AutoCloseable {
    /** Tag of the ledgers of message ids in a snapshot. */
    private static final byte LEDGERS = 12;

    private static final int CONTAINERS = 3;
    private static final int PRODUCERS = 3;
    private static final long PARTITION = 7;
    private static final int BODY = 3_000;

    private final Random random;
    private final MoveSimBug bug;
    private final OpenPartitions open = new OpenPartitions();
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final InMemoryContainers containers;
    private final boolean[] defers = new boolean[CONTAINERS];

    /** Offsets below this one are safe whatever crashes. */
    private long safeEnd;

    private final Set<Long> unsafeAcks = new HashSet<>();
    private int losses;

    // what the catalogue has, durably
    private int container;
    private long segment = PARTITION;
    private @Nullable SegmentPlace target;
    private final List<SegmentPlace> earlier = new ArrayList<>();
    private long nextSegment = PARTITION + 1;

    /** How far the move under way has got; forgotten by a crash. */
    private Step step = Step.NONE;

    private @Nullable ByteBuf state;
    private int stateEpoch;
    private int run;

    private final Producer[] producers = new Producer[PRODUCERS];
    /** Offset to (producer, sequence) of what was acknowledged. */
    private final TreeMap<Long, Long> told = new TreeMap<>();

    /** Ledgers of what was acknowledged, by offset. */
    private final TreeMap<Long, Long> ledgers = new TreeMap<>();

    /** Every message id that was ever given out, also of what is lost. */
    private final Set<MessageId> ids = new HashSet<>();

    private final Set<Long> acked = new HashSet<>();
    private long start;
    private long lastEpoch;
    private int moves;
    private int failures;
    private int compactions;
    private int gathered;
    private final MovedView view;

    private enum Step {
        NONE,
        PREPARING,
        PREPARED,
        LEAVING,
        READY,
        ARRIVING,
        ARRIVED
    }

    private record MessageId(long ledger, long entry) {}

    /** Sends one entry after the other, and the same again until it is told what became of it. */
    private static final class Producer {
        private int next;
        private boolean waiting;
    }

    MoveSim(long seed, MoveSimBug bug) {
        this.random = new Random(seed);
        this.bug = bug;
        PartitionRiderFactory riders = new PartitionRiderFactory(ProducerLimits.DEFAULT, open);
        containers = InMemoryContainers.callerDriven(CONTAINERS, riders, now::get);
        riders.containers(containers);
        view = new MovedView(containers, this::find, () -> nextSegment++, PARTITION);
        for (int c = 0; c < CONTAINERS; c++) {
            defers[c] = random.nextInt(3) == 0;
            if (defers[c]) {
                containers.defer(c);
            }
        }
        containers.start();
        // terms differ, as they do where containers have changed hands
        for (int c = 0; c < CONTAINERS; c++) {
            for (int restarts = random.nextInt(4); restarts > 0; restarts--) {
                containers.stop(c);
                containers.start(c);
            }
        }
        for (int p = 0; p < PRODUCERS; p++) {
            producers[p] = new Producer();
        }
        create(0, PARTITION, PartitionAttributes.FIRST_SEGMENT, Durable.IGNORED);
        containers.drain();
        log().subscriptions().create("s", 0, Map.of(), Durable.IGNORED);
        containers.drain();
        sync();
    }

    /** Of the container that the partition is in. */
    private void sync() {
        containers.get(container).sync();
        PartitionLog log = find();
        if (log != null) {
            allIsSafe(log.durableEnd());
        }
    }

    private void allIsSafe(long end) {
        safeEnd = Math.max(safeEnd, end);
        unsafeAcks.clear();
    }

    private void create(int in, long as, long partitionId, Durable done) {
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0, partitionId).write(attributes);
        containers.get(in).create(as, SegmentKinds.PARTITION, attributes, done);
    }

    /** As clients find it; null while it moves. */
    private @Nullable PartitionLog find() {
        PartitionLog found = open.find(segment);
        return found != null && found.container() == containers.get(container) ? found : null;
    }

    private PartitionLog log() {
        PartitionLog found = find();
        if (found == null) {
            throw new AssertionError("the partition is not found");
        }
        return found;
    }

    void run(int events) {
        for (int i = 0; i < events; i++) {
            now.addAndGet(random.nextInt(200));
            event(random.nextInt(100));
            containers.doWork();
            if (random.nextInt(3) == 0) {
                containers.drain();
            }
        }
        containers.drain();
        crash();
        checkAll();
        deleteAll();
    }

    int moves() {
        return moves;
    }

    /** Writes of the metadata that failed when a partition had arrived. */
    int failures() {
        return failures;
    }

    /** Entries that were acknowledged and are gone, as they may. */
    int losses() {
        return losses;
    }

    private void event(int what) {
        if (what < 40) {
            send(random.nextInt(PRODUCERS));
        } else if (what < 50) {
            acknowledge();
        } else if (what < 58) {
            readSome();
        } else if (what < 60) {
            view.compact();
        } else if (what < 64) {
            deleteSome();
        } else if (what < 68) {
            containers.get(random.nextInt(CONTAINERS)).checkpoint();
        } else if (what < 70) {
            crash();
        } else if (what < 73) {
            evictSome();
        } else if (what < 76) {
            sync();
        } else if (what < 79) {
            if (random.nextBoolean()) {
                compact();
            } else {
                gather();
            }
        } else {
            move();
        }
    }

    // ---- clients

    private void send(int p) {
        PartitionLog log = find();
        Producer producer = producers[p];
        if (log == null || producer.waiting) {
            return;
        }
        checkEpoch(log);
        int sequence = producer.next;
        producer.waiting = true;
        int sender = run;
        int in = container;
        log.append(TestEntries.kafka(p, (short) 0, sequence, 1, random.nextInt(BODY), now.get()), new AppendReply() {
            @Override
            public void appended(long baseOffset, long lastOffset) {
                given(log, baseOffset);
                is(baseOffset);
            }

            @Override
            public void duplicate(long baseOffset, long lastOffset) {
                is(baseOffset);
            }

            private void is(long offset) {
                if (sender == run) {
                    producer.waiting = false;
                    producer.next++;
                }
                told.put(offset, ((long) p << 32) + sequence);
                if (!defers[in]) {
                    allIsSafe(offset + 1);
                }
                if (sender != run) {
                    throw new AssertionError("an answer came after the crash");
                }
            }

            @Override
            public void rejected(AppendRejection why) {
                throw new AssertionError("producer " + p + ": " + why.message());
            }

            @Override
            public void failed(StoreFailure why) {
                producer.waiting = false;
            }
        });
    }

    /** To the producer, for an entry that is new. */
    private void given(PartitionLog log, long offset) {
        long ledger = bug == MoveSimBug.ONE_LEDGER_FOR_EVER ? log.partitionId() : log.ledgerAt(offset);
        if (!ids.add(new MessageId(ledger, offset))) {
            throw new AssertionError("message id " + ledger + ":" + offset + " is given out twice");
        }
        ledgers.put(offset, ledger);
    }

    private void checkEpoch(PartitionLog log) {
        if (log.leaderEpoch() < lastEpoch) {
            throw new AssertionError("the leader epoch falls from " + lastEpoch + " to " + log.leaderEpoch());
        }
        lastEpoch = log.leaderEpoch();
    }

    private Cursor cursor(PartitionLog log) {
        Cursor found = log.subscriptions().find("s");
        if (found == null) {
            throw new AssertionError("the subscription is gone");
        }
        return found;
    }

    private void acknowledge() {
        PartitionLog log = find();
        if (log == null || log.durableEnd() == 0) {
            return;
        }
        long offset = random.nextLong(log.durableEnd());
        int in = container;
        cursor(log)
                .ack(
                        offset,
                        offset,
                        Durable.of(
                                () -> {
                                    acked.add(offset);
                                    if (defers[in]) {
                                        unsafeAcks.add(offset);
                                    }
                                },
                                why -> {
                                    // asked again some time
                                }));
    }

    private void deleteSome() {
        PartitionLog log = find();
        if (log == null || log.durableEnd() <= log.startOffset()) {
            return;
        }
        long to = log.startOffset() + random.nextLong(Math.min(40, log.durableEnd() - log.startOffset()));
        log.retention().deleteBefore(to, Durable.of(() -> start = Math.max(start, to), why -> {
            // asked again some time
        }));
    }

    /** Puts a companion with all that is there in the place of a beginning of the log. */
    private void compact() {
        PartitionLog log = find();
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
    private void gather() {
        PartitionLog log = find();
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
        return find() == log ? all : null;
    }

    /** Gives the id of a companion that has these bytes. */
    private long store(PartitionLog log, ByteBuf all) {
        long companion = nextSegment++;
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0, PARTITION).write(attributes);
        log.container().create(companion, SegmentKinds.COMPANION, attributes, Durable.IGNORED);
        if (all.isReadable()) {
            log.container().store(companion, all, Durable.IGNORED);
        }
        return companion;
    }

    /** Times that a partition took along what it had left. */
    int gathered() {
        return gathered;
    }

    /** Times that a view was made. */
    int views() {
        return view.made();
    }

    /** Times that a companion took the place of something. */
    int compactions() {
        return compactions;
    }

    private void evictSome() {
        int c = random.nextInt(CONTAINERS);
        InMemoryContainer in = containers.get(c);
        in.blockSize(100 + random.nextInt(20_000));
        for (long s = PARTITION; s < nextSegment; s++) {
            var info = in.info(s);
            if (info != null) {
                in.evict(s, info.durableLength());
            }
        }
    }

    private void readSome() {
        PartitionLog log = find();
        if (log != null && log.durableEnd() > log.startOffset()) {
            long from = log.startOffset() + random.nextLong(log.durableEnd() - log.startOffset());
            read(log, from, 1 + random.nextInt(50_000), new HashMap<>());
        }
    }

    /** Gives where to go on; -1 if the partition moved away meanwhile. */
    private long read(PartitionLog log, long offset, int maxBytes, Map<Long, Long> into) {
        Answers answers = new Answers();
        log.read(offset, maxBytes, Isolation.UNCOMMITTED, answers);
        for (int turns = 0; turns < 10_000; turns++) {
            String answer = answers.next();
            if (answer == null) {
                containers.doWork();
            } else if (answer.startsWith("entries")) {
                take(answers.lastRead(), into);
                return answers.nextOffset();
            } else if (answer.startsWith("failed NotOwner") || answer.startsWith("out of range")) {
                return -1;
            } else {
                throw new AssertionError("a read at " + offset + " was answered " + answer);
            }
        }
        throw new AssertionError("a read at " + offset + " was not answered");
    }

    static void take(ByteBuf entries, Map<Long, Long> into) {
        for (int at = 0; at < entries.readableBytes(); at += EntryHeader.size(entries, at)) {
            long what = (EntryHeader.producerId(entries, at) << 32) + EntryHeader.baseSequence(entries, at);
            if (into.put(EntryHeader.baseOffset(entries, at), what) != null) {
                throw new AssertionError("offset " + EntryHeader.baseOffset(entries, at) + " is there twice");
            }
        }
    }

    // ---- the move, as the catalogue does it

    private void move() {
        switch (step) {
            case NONE -> {
                if (target != null) {
                    settle(); // the write that shows it had failed
                } else if (random.nextInt(8) == 0) {
                    int to = (container + 1 + random.nextInt(CONTAINERS - 1)) % CONTAINERS;
                    target = new SegmentPlace(to, nextSegment++);
                    step = Step.PREPARING;
                    prepare();
                }
            }
            case PREPARED -> leave();
            case READY -> arrive();
            case ARRIVED -> {
                if (random.nextInt(8) == 0) {
                    step = Step.NONE; // the write fails
                    failures++;
                } else {
                    show();
                }
            }
            case PREPARING, LEAVING, ARRIVING -> {}
        }
    }

    private SegmentPlace target() {
        SegmentPlace to = target;
        if (to == null) {
            throw new IllegalStateException("nothing moves");
        }
        return to;
    }

    private void prepare() {
        if (containers.get(target().container()).info(target().segment()) == null) {
            create(target().container(), target().segment(), PARTITION, then(Step.PREPARED));
        } else {
            containers.get(target().container()).barrier(then(Step.PREPARED));
        }
    }

    private Durable then(Step next) {
        int begun = run;
        return Durable.of(
                () -> {
                    if (begun == run) {
                        step = next;
                    }
                },
                why -> {
                    // a crash, after which the move is settled
                });
    }

    private void leave() {
        step = Step.LEAVING;
        InMemoryContainer from = containers.get(container);
        int begun = run;
        ByteBuf early = Unpooled.buffer();
        if (bug == MoveSimBug.APPENDED_AFTER_THE_STATE_WAS_TAKEN) {
            ((PartitionRider) from.rider(segment)).writeLeaving(early);
            send(0);
        }
        Handover.leave(
                from,
                segment,
                written -> {
                    if (begun == run) {
                        allIsSafe(toldEnd());
                        step = Step.READY;
                        stateEpoch = bug == MoveSimBug.EPOCH_OF_THE_NEW_CONTAINER ? -1 : written.epoch();
                        state = early.isReadable() ? early : cut(written.bytes());
                    }
                },
                why -> {} /* a crash */);
    }

    private ByteBuf cut(ByteBuf written) {
        if (bug != MoveSimBug.CURSOR_LEFT_BEHIND
                && bug != MoveSimBug.LEDGERS_LEFT_BEHIND
                && bug != MoveSimBug.VIEW_LEFT_BEHIND) {
            return written;
        }
        PartitionState read = new PartitionState(ProducerLimits.DEFAULT, container, segment);
        SubscriptionsPart subscriptions = new SubscriptionsPart(nobodys());
        PartitionSnapshot.read(written, read, subscriptions);
        read.offsets().leave();
        List<StatePart> parts = new ArrayList<>(read.parts());
        if (bug == MoveSimBug.LEDGERS_LEFT_BEHIND) {
            parts.add(subscriptions);
            parts.removeIf(part -> part.tag() == LEDGERS);
        }
        if (bug == MoveSimBug.VIEW_LEFT_BEHIND) {
            parts.add(subscriptions);
            parts.remove(read.view());
        }
        ByteBuf without = Unpooled.buffer();
        PartitionSnapshot.write(parts, without);
        return without;
    }

    private io.sluice.broker.subscription.PartitionSubscriptions nobodys() {
        return new io.sluice.broker.subscription.PartitionSubscriptions(
                containers.get(container), segment, () -> 0, io.sluice.broker.subscription.AckMemory.ofHeap(), null);
    }

    private void arrive() {
        step = Step.ARRIVING;
        ByteBuf bytes = state;
        if (bytes == null) {
            throw new IllegalStateException("nothing has left");
        }
        InMemoryContainer to = containers.get(target().container());
        Handover.arrive(
                bug == MoveSimBug.ARRIVED_BEFORE_THE_SYNC ? neverSyncing(to) : to,
                target().segment(),
                container,
                stateEpoch,
                bytes,
                then(Step.ARRIVED));
        if (bug == MoveSimBug.SUCCESSOR_READ_EARLY) {
            show();
        } else if (bug == MoveSimBug.ARRIVED_BEFORE_THE_SYNC && step == Step.ARRIVING) {
            containers.doWork();
            step = Step.ARRIVED;
        }
    }

    /** The container, of which nobody waits for the sync. */
    private static SegmentContainer neverSyncing(InMemoryContainer of) {
        return (SegmentContainer) Proxy.newProxyInstance(
                MoveSim.class.getClassLoader(),
                new Class<?>[] {SegmentContainer.class},
                (proxy, method, arguments) -> method.getName().equals("barrier") ? null : method.invoke(of, arguments));
    }

    private long toldEnd() {
        return told.isEmpty() ? 0 : told.lastKey() + 1;
    }

    private void show() {
        SegmentPlace to = target();
        earlier.add(new SegmentPlace(container, segment));
        container = to.container();
        segment = to.segment();
        target = null;
        step = Step.NONE;
        moves++;
        forget();
    }

    private void forget() {
        if (bug == MoveSimBug.SUCCESSOR_READ_EARLY) {
            return;
        }
        earlier.forEach(place -> Handover.left(containers.get(place.container()), place.segment(), Durable.IGNORED));
    }

    /** Of one container or of all; then what was cut short is undone or finished. */
    private void crash() {
        run++;
        for (Producer producer : producers) {
            producer.waiting = false;
        }
        int only = random.nextInt(CONTAINERS * 2);
        boolean alone = random.nextInt(4) == 0;
        boolean lossy = false;
        for (int c = 0; c < CONTAINERS; c++) {
            if (only >= CONTAINERS || only == c || !alone && step != Step.NONE) {
                if (defers[c] && random.nextBoolean()) {
                    containers.crashMachine(c);
                    lossy |= c == container;
                } else if (random.nextBoolean()) {
                    containers.restartKeepingTail(c);
                } else {
                    containers.stop(c);
                    containers.start(c);
                }
            }
        }
        settle();
        forget();
        containers.drain();
        if (lossy) {
            takeLosses();
        }
    }

    /** Producers and the subscription's consumer go on from what is left, which is all but what may be lost. */
    private void takeLosses() {
        long end = log().durableEnd();
        if (end < safeEnd) {
            throw new AssertionError("the end fell to " + end + ", and " + safeEnd + " was safe");
        }
        losses += told.tailMap(end).size();
        told.tailMap(end).clear();
        ledgers.tailMap(end).clear();
        acked.removeAll(unsafeAcks);
        unsafeAcks.clear();
        for (int p = 0; p < PRODUCERS; p++) {
            int producer = p;
            producers[p].next = told.values().stream()
                            .filter(what -> what >> 32 == producer)
                            .mapToInt(what -> (int) (what & 0xffffffffL))
                            .max()
                            .orElse(-1)
                    + 1;
        }
        sync();
    }

    private void settle() {
        step = Step.NONE;
        if (target == null) {
            return;
        }
        InMemoryContainer to = containers.get(target().container());
        if (bug == MoveSimBug.UNDONE_AFTER_THE_SEAL || !Handover.isLeaving(containers.get(container), segment)) {
            if (to.info(target().segment()) != null) {
                to.delete(target().segment(), Durable.IGNORED);
            }
            target = null;
            return;
        }
        if (Handover.hasArrived(to, target().segment())) {
            Handover.arrived(to, Durable.IGNORED);
            containers.drain();
            show();
            return;
        }
        step = Step.PREPARING;
        prepare();
        containers.drain();
        Handover.leave(
                containers.get(container),
                segment,
                written -> {
                    stateEpoch = bug == MoveSimBug.EPOCH_OF_THE_NEW_CONTAINER ? -1 : written.epoch();
                    state = cut(written.bytes());
                },
                why -> {
                    throw new AssertionError(why.message());
                });
        containers.drain();
        arrive();
        containers.drain();
        if (target != null) {
            show();
        }
    }

    // ---- what must be so

    private void checkAll() {
        PartitionLog log = log();
        checkEpoch(log);
        if (log.startOffset() < start) {
            throw new AssertionError("the start fell from " + start + " to " + log.startOffset());
        }
        Map<Long, Long> all = new TreeMap<>();
        for (long at = log.startOffset(); at < log.durableEnd(); ) {
            at = read(log, at, 100_000, all);
            if (at < 0) {
                throw new AssertionError("a read of what is there was refused");
            }
        }
        for (long offset = log.startOffset(); offset < log.durableEnd(); offset++) {
            if (!all.containsKey(offset)) {
                throw new AssertionError("offset " + offset + " is missing");
            }
        }
        told.tailMap(log.startOffset()).forEach((offset, what) -> {
            if (!what.equals(all.get(offset))) {
                throw new AssertionError("what was acknowledged at " + offset + " is not there");
            }
        });
        checkSequences(all);
        checkLedgers(log);
        if (bug != MoveSimBug.ONE_LEDGER_FOR_EVER) {
            view.check(log, told, ledgers);
        }
        Cursor cursor = cursor(log);
        for (long offset : acked) {
            if (!cursor.isAcked(offset) && offset >= log.startOffset()) {
                throw new AssertionError("offset " + offset + " was acknowledged");
            }
        }
    }

    private void checkLedgers(PartitionLog log) {
        if (bug == MoveSimBug.ONE_LEDGER_FOR_EVER) {
            return;
        }
        ledgers.tailMap(log.startOffset()).forEach((offset, ledger) -> {
            if (log.ledgerAt(offset) != ledger || log.offsetOf(ledger, offset) != offset) {
                throw new AssertionError("message " + ledger + ":" + offset + " has another id now");
            }
        });
        for (long offset = log.startOffset(); offset < log.durableEnd(); offset++) {
            if (log.ledgerAt(offset) > log.ledgerAt(offset + 1)) {
                throw new AssertionError("ledgers fall behind offset " + offset);
            }
        }
    }

    private void checkSequences(Map<Long, Long> all) {
        long[] last = new long[PRODUCERS];
        java.util.Arrays.fill(last, -1);
        all.forEach((offset, what) -> {
            int p = (int) (what >> 32);
            long sequence = what & 0xffffffffL;
            if (last[p] >= 0 && sequence != last[p] + 1) {
                throw new AssertionError("producer " + p + " wrote " + sequence + " after " + last[p]);
            }
            last[p] = sequence;
        });
    }

    /** Nothing of an earlier place is left once all it held is deleted. */
    private void deleteAll() {
        PartitionLog log = log();
        log.retention().deleteBefore(log.durableEnd(), Durable.IGNORED);
        containers.drain();
        log.retention().removeElsewhere();
        containers.drain();
        view.drop(log);
        for (SegmentPlace place : earlier) {
            if (containers.get(place.container()).info(place.segment()) != null) {
                throw new AssertionError("segment " + place.segment() + " is left in " + place.container());
            }
        }
        if (containers.lentBuffers() != 0) {
            throw new AssertionError("buffers were not released");
        }
    }

    @Override
    public void close() {
        containers.close();
    }
}
