package io.sluice.broker.log.open;

import io.sluice.broker.TestEntries;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.subscription.Cursor;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.StoreFailure;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A partition that moves between three containers again and again, with idempotent producers, a subscription and retention,
 * and a crash at any step of a move. The logs of some defer the sync, and a crash of their machine takes what was not synced, and
 * nothing else: what was acknowledged elsewhere, or before the last sync, stays. What producers were told is there once, in order; what the subscription was told is
 * acknowledged; offsets have no holes; the leader epoch never falls; a message id never means two messages, and those that are left keep theirs.
 */
final class MoveSim implements AutoCloseable {
    static final int CONTAINERS = 3;
    static final long PARTITION = 7;
    private static final int PRODUCERS = 3;
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

    private final SimulatedMove move;
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
    private final MovedReads reads;
    private final MovedCompaction compaction;
    private final MovedView view;

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
        move = new SimulatedMove(random, bug, containers, new SimulatedMove.Clients() {
            @Override
            public void sendNow() {
                send(0);
            }

            @Override
            public void left() {
                allIsSafe(told.isEmpty() ? 0 : told.lastKey() + 1);
            }
        });
        reads = new MovedReads(containers);
        compaction = new MovedCompaction(containers, this::find, move::newSegment, PARTITION);
        view = new MovedView(containers, this::find, move::newSegment, PARTITION);
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
        move.create(0, PARTITION, PartitionAttributes.FIRST_SEGMENT, Durable.IGNORED);
        containers.drain();
        log().subscriptions().create("s", 0, Map.of(), Durable.IGNORED);
        containers.drain();
        sync();
    }

    /** Of the container that the partition is in. */
    private void sync() {
        containers.get(move.container()).sync();
        PartitionLog log = find();
        if (log != null) {
            allIsSafe(log.durableEnd());
        }
    }

    private void allIsSafe(long end) {
        safeEnd = Math.max(safeEnd, end);
        unsafeAcks.clear();
    }

    /** As clients find it; null while it moves. */
    private @Nullable PartitionLog find() {
        PartitionLog found = open.find(move.segment());
        return found != null && found.container() == containers.get(move.container()) ? found : null;
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
        return move.moves();
    }

    /** Writes of the metadata that failed when a partition had arrived. */
    int failures() {
        return move.failures();
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
                compaction.compact();
            } else {
                compaction.gather();
            }
        } else {
            move.step();
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
        int sender = move.crashes();
        int in = move.container();
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
                if (sender == move.crashes()) {
                    producer.waiting = false;
                    producer.next++;
                }
                told.put(offset, ((long) p << 32) + sequence);
                if (!defers[in]) {
                    allIsSafe(offset + 1);
                }
                if (sender != move.crashes()) {
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
        int in = move.container();
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

    /** Times that a partition took along what it had left. */
    int gathered() {
        return compaction.gathered();
    }

    /** Times that a view was made. */
    int views() {
        return view.made();
    }

    /** Times that a companion took the place of something. */
    int compactions() {
        return compaction.compactions();
    }

    private void evictSome() {
        int c = random.nextInt(CONTAINERS);
        InMemoryContainer in = containers.get(c);
        in.blockSize(100 + random.nextInt(20_000));
        for (long s = PARTITION; s < move.segmentsEnd(); s++) {
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
            reads.read(log, from, 1 + random.nextInt(50_000), new HashMap<>());
        }
    }

    // ---- the move, as the catalogue does it

    /** Of one container or of all; then what was cut short is undone or finished. */
    private void crash() {
        move.crash();
        for (Producer producer : producers) {
            producer.waiting = false;
        }
        int only = random.nextInt(CONTAINERS * 2);
        boolean alone = random.nextInt(4) == 0;
        boolean lossy = false;
        for (int c = 0; c < CONTAINERS; c++) {
            if (only >= CONTAINERS || only == c || !alone && move.isUnderWay()) {
                if (defers[c] && random.nextBoolean()) {
                    containers.crashMachine(c);
                    lossy |= c == move.container();
                } else if (random.nextBoolean()) {
                    containers.restartKeepingTail(c);
                } else {
                    containers.stop(c);
                    containers.start(c);
                }
            }
        }
        move.settle();
        move.forget();
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

    // ---- what must be so

    private void checkAll() {
        PartitionLog log = log();
        checkEpoch(log);
        if (log.startOffset() < start) {
            throw new AssertionError("the start fell from " + start + " to " + log.startOffset());
        }
        Map<Long, Long> all = new TreeMap<>();
        for (long at = log.startOffset(); at < log.durableEnd(); ) {
            at = reads.read(log, at, 100_000, all);
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
        for (SegmentPlace place : move.earlier()) {
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
