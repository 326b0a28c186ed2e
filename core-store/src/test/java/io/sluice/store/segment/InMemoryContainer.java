package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.segment.InMemoryLog.Bytes;
import io.sluice.store.segment.InMemoryLog.Checkpoint;
import io.sluice.store.segment.InMemoryLog.Op;
import io.sluice.store.segment.InMemoryLog.Snapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One term of a container without a store: operations live in an {@link InMemoryLog}, bytes in arrays. What was sequenced in
 * a turn of the loop is durable when the turn ends, unless held. Either {@link #startLoop} gives it a thread, or the thread
 * that made it is the loop and calls {@link #doWork}.
 */
public final class InMemoryContainer implements SegmentContainer {
    private static final int MAX_APPEND = 64 << 20;

    private final int id;
    private final long term;
    private final InMemoryLog log;
    private final SegmentRiderFactory riderFactory;
    private final LongSupplier clock;
    private final Map<Long, InMemorySegment> segments = new LinkedHashMap<>();
    private final Map<Long, SegmentRider> riders = new LinkedHashMap<>();
    private final LinkedBlockingQueue<LoopTask> queue = new LinkedBlockingQueue<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::due));
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    /** For what is safe, which in a log that defers is later. */
    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();

    private final List<ByteBuf> lent = new ArrayList<>();
    private volatile Thread loop = Thread.currentThread();
    private volatile @Nullable StoreFailure stopped;
    private boolean stopping;
    private volatile boolean held;
    private volatile boolean full;
    /** Appends after which it is full; negative for never. Loop only. */
    private int appendsUntilFull = -1;
    /** Appends for which there is no room. Guarded by itself. */
    private final ArrayDeque<LoopTask> fullFor = new ArrayDeque<>();

    private long now;
    private long bytesRead;
    private final AtomicInteger hops = new AtomicInteger();
    /** Reads of what was let go meanwhile: the "tier" still has every second one, the first among them. */
    private int overtaken;
    /** Bytes of one component of what {@link #readCached} gives, and of one answer of the "tier". */
    private volatile int block = 4096;

    private record Timer(long due, LoopTask task) {}

    private record Pending(int opsBefore, Durable done) {}

    /** Recovers: restores the checkpoint's riders and applies every durable operation after it. */
    InMemoryContainer(int id, InMemoryLog log, SegmentRiderFactory riderFactory, LongSupplier clock) {
        this.id = id;
        this.log = log;
        this.riderFactory = riderFactory;
        this.clock = clock;
        this.term = ++log.term;
        this.now = clock.getAsLong();
        recover();
        log.synced = log.durable;
    }

    private void recover() {
        Checkpoint checkpoint = log.checkpoint;
        Map<Long, Snapshot> snapshots = checkpoint == null ? Map.of() : checkpoint.segments();
        int restored = checkpoint == null ? 0 : checkpoint.ops();
        for (int i = 0; i < log.ops.size(); i++) {
            Op op = log.ops.get(i);
            applyToSegments(op);
            if (i + 1 == restored) {
                snapshots.forEach(this::restore);
            }
            if (i >= restored) {
                applyToRiders(op);
            }
        }
        segments.values().forEach(s -> s.durableLength = s.length);
        riders.forEach((segment, rider) -> rider.durable(segment(segment).length));
    }

    private void restore(long segment, Snapshot snapshot) {
        InMemorySegment s = segment(segment);
        riders.put(
                segment,
                riderFactory.create(
                        this, s.info(), s.attributes.view(), snapshot.rider().view()));
    }

    /** Gives the container a thread of its own. */
    public void startLoop() {
        loop = Thread.ofPlatform().daemon().name("container-" + id).unstarted(this::runLoop);
        loop.start();
    }

    private void runLoop() {
        while (stopped == null) {
            if (doWork() == 0) {
                awaitWork();
            }
        }
    }

    private void awaitWork() {
        try {
            LoopTask first = queue.poll(2, TimeUnit.MILLISECONDS);
            if (first != null) {
                now = clock.getAsLong();
                first.run();
                endTurn();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stop(new StoreFailure.NotOwner(id, "the container was stopped"));
        }
    }

    /** One turn: due timers, the tasks queued at its start, then durability. */
    public int doWork() {
        now = clock.getAsLong();
        int done = 0;
        for (Timer t = timers.peek(); t != null && t.due() <= now && stopped == null; t = timers.peek()) {
            timers.remove().task().run();
            done++;
        }
        for (int n = queue.size(); n > 0 && stopped == null; n--) {
            LoopTask task = queue.poll();
            if (task != null) {
                task.run();
                done++;
            }
        }
        return done + endTurn();
    }

    private int endTurn() {
        if (stopping && stopped == null) {
            stop(new StoreFailure.NotOwner(id, "the container was stopped"));
        }
        return held || stopped != null ? 0 : makeDurable();
    }

    private int makeDurable() {
        int before = log.durable;
        log.durable = log.ops.size();
        for (InMemorySegment s : List.copyOf(segments.values())) {
            SegmentRider rider = riders.get(s.id);
            if (s.durableLength < s.length) {
                s.durableLength = s.length;
                if (rider != null) {
                    rider.durable(s.length);
                }
            }
        }
        int done = log.durable - before + sync(before);
        for (Pending p = pending.peek(); p != null && p.opsBefore() <= log.durable; p = pending.peek()) {
            pending.remove().done().durable();
            done++;
        }
        return done;
    }

    /** Syncs what was durable before this turn if somebody waits for it; gives how much was done. */
    private int sync(int acknowledged) {
        if (!log.deferred) {
            log.synced = log.durable;
        } else if (!waiting.isEmpty() && log.synced < acknowledged) {
            log.synced = acknowledged;
        }
        int done = waiting.isEmpty() ? 0 : 1;
        for (Pending p = waiting.peek(); p != null && p.opsBefore() <= log.synced; p = waiting.peek()) {
            waiting.remove().done().durable();
        }
        return done;
    }

    /** Makes safe what is durable. Loop only. */
    public void sync() {
        log.synced = log.durable;
    }

    /** While held, nothing becomes durable. Any thread. */
    public void hold() {
        held = true;
    }

    /** Ends {@link #hold}; what was sequenced becomes durable when the next turn ends. Any thread. */
    public void release() {
        held = false;
    }

    /** As with a cache that is full: appends wait until {@link #makeRoom}, and one that comes otherwise breaks. Any thread. */
    public void fill() {
        full = true;
    }

    /** As {@link #fill}, after so many appends, at least 1. Loop only. */
    public void fillAfter(int appends) {
        appendsUntilFull = appends;
    }

    /** Ends {@link #fill}. Any thread. */
    public void makeRoom() {
        full = false;
        synchronized (fullFor) {
            fullFor.forEach(this::execute);
            fullFor.clear();
        }
    }

    /** Appends that wait for room. Any thread. */
    public int appendsWithoutRoom() {
        synchronized (fullFor) {
            return fullFor.size();
        }
    }

    /** Positions below {@code position} leave the "cache": they are read later, in pieces. */
    public void evict(long segment, long position) {
        segment(segment).cachedFrom = position;
    }

    /** Size of buffer components and of the answers of {@link #read} for evicted bytes. */
    public void blockSize(int bytes) {
        block = bytes;
    }

    /** Takes a checkpoint at the present point of the sequenced order: a restart restores it. Loop only. */
    public void checkpoint() {
        Map<Long, Snapshot> all = log.newSnapshots();
        riders.forEach((segment, rider) -> {
            ByteBuf out = Unpooled.buffer();
            rider.snapshot(out);
            all.put(segment, new Snapshot(Bytes.copyOf(out), segment(segment).length));
        });
        log.checkpoint = new Checkpoint(log.ops.size(), all);
    }

    /** Bytes of the rider's snapshot now. */
    public int snapshotSize(long segment) {
        ByteBuf out = Unpooled.buffer();
        rider(segment).snapshot(out);
        return out.readableBytes();
    }

    /** The log fails: every pending callback and every later call fails with {@code why}. Loop only. */
    public void stop(StoreFailure why) {
        if (stopped != null) {
            return;
        }
        stopped = why;
        for (Pending p = pending.poll(); p != null; p = pending.poll()) {
            p.done().failed(why);
        }
        for (Pending p = waiting.poll(); p != null; p = waiting.poll()) {
            p.done().failed(why);
        }
        List.copyOf(riders.values()).forEach(rider -> rider.closed(why));
        riders.clear();
        for (Timer t = timers.poll(); t != null; t = timers.poll()) {
            t.task().abandoned(why);
        }
        abandonQueue(why);
    }

    private void abandonQueue(StoreFailure why) {
        for (LoopTask task = queue.poll(); task != null; task = queue.poll()) {
            task.abandoned(why);
        }
    }

    /** Stops the term from any thread and waits until the loop has ended. */
    void stopAndJoin() {
        Thread thread = loop;
        if (thread == Thread.currentThread()) {
            stop(new StoreFailure.NotOwner(id, "the container was stopped"));
            return;
        }
        execute(LoopTask.of(() -> stopping = true));
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Bytes given out by reads of any kind. Loop only. */
    public long bytesRead() {
        return bytesRead;
    }

    /** Tasks that were brought to the loop. Any thread. */
    public int hops() {
        return hops.get();
    }

    /** Buffers given out and not yet released; a test ends with none. */
    public int lentBuffers() {
        synchronized (lent) {
            lent.removeIf(b -> b.refCnt() == 0);
            return lent.size();
        }
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public long term() {
        return term;
    }

    @Override
    public boolean isEnded() {
        return stopped != null;
    }

    @Override
    public boolean mayLoseAcknowledged() {
        return log.deferred;
    }

    @Override
    public boolean onLoop() {
        return Thread.currentThread() == loop;
    }

    @Override
    public void execute(LoopTask task) {
        StoreFailure why = stopped;
        if (why != null) {
            task.abandoned(why);
            return;
        }
        hops.incrementAndGet();
        queue.add(task);
        why = stopped;
        if (why != null) {
            abandonQueue(why);
        }
    }

    @Override
    public void executeAppend(LoopTask task) {
        if (!full) {
            execute(task);
            return;
        }
        synchronized (fullFor) {
            fullFor.add(task);
        }
    }

    @Override
    public boolean hasRoomForAppend() {
        return !full;
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public Scheduled schedule(long delayMillis, LoopTask task) {
        checkLoop();
        Timer timer = new Timer(now + delayMillis, task);
        timers.add(timer);
        return () -> {
            checkLoop();
            timers.remove(timer);
        };
    }

    /** Tasks set for later and not run yet. Loop only. */
    public int timers() {
        checkLoop();
        return timers.size();
    }

    @Override
    public @Nullable SegmentInfo info(long segment) {
        InMemorySegment s = segments.get(segment);
        return s == null ? null : s.info();
    }

    @Override
    public SegmentRider rider(long segment) {
        SegmentRider rider = riders.get(segment);
        if (rider == null) {
            throw new IllegalStateException("no rider on segment " + segment);
        }
        return rider;
    }

    @Override
    public void create(long segment, byte kind, ByteBuf attributes, Durable done) {
        sequence(new Op.Create(segment, kind, Bytes.copyOf(attributes)), done);
    }

    @Override
    public long append(long segment, ByteBuf data, Durable done) {
        if (!data.isReadable() || data.readableBytes() > MAX_APPEND) {
            throw new IllegalArgumentException("an append of " + data.readableBytes() + " bytes");
        }
        if (stopped != null) {
            sequence(new Op.Append(segment, new Bytes(new byte[0])), done);
            return 0;
        }
        if (full) {
            throw new IllegalStateException("no room in the cache: appends must be queued as such");
        }
        InMemorySegment s = segment(segment);
        if (s.sealed) {
            throw new IllegalStateException("segment " + segment + " is sealed");
        }
        long position = s.length;
        sequence(new Op.Append(segment, Bytes.copyOf(data)), done);
        full |= --appendsUntilFull == 0;
        return position;
    }

    @Override
    public void store(long segment, ByteBuf data, Durable done) {
        Bytes copy = Bytes.copyOf(data);
        data.release();
        sequence(new Op.Store(segment, copy), done);
    }

    @Override
    public void note(long segment, ByteBuf note, Durable done) {
        sequence(new Op.Note(segment, Bytes.copyOf(note)), done);
    }

    @Override
    public void barrier(Durable done) {
        checkLoop();
        StoreFailure why = stopped;
        if (why != null) {
            done.failed(why);
        } else {
            waitFor(done, true);
        }
    }

    private void waitFor(Durable done, boolean safe) {
        (log.deferred && safe ? waiting : pending).add(new Pending(log.ops.size(), done));
    }

    @Override
    public void truncate(long segment, long position, Durable done) {
        sequence(new Op.Truncate(segment, position), done);
    }

    @Override
    public void seal(long segment, Durable done) {
        sequence(new Op.Seal(segment), done);
    }

    @Override
    public void delete(long segment, Durable done) {
        if (stopped == null && !segments.containsKey(segment)) {
            done.failed(new StoreFailure.NoSuchSegment(segment, "segment " + segment + " does not exist"));
            return;
        }
        sequence(new Op.Delete(segment), done);
    }

    private void sequence(Op op, Durable done) {
        checkLoop();
        StoreFailure why = stopped;
        if (why != null) {
            done.failed(why);
            return;
        }
        log.ops.add(op);
        waitFor(done, !(op instanceof Op.Append || op instanceof Op.Note));
        applyToSegments(op);
        applyToRiders(op);
    }

    private void applyToSegments(Op op) {
        switch (op) {
            case Op.Create c -> {
                if (segments.put(c.segment(), new InMemorySegment(c.segment(), c.kind(), c.attributes())) != null) {
                    throw new IllegalStateException("segment " + c.segment() + " exists");
                }
            }
            case Op.Append a -> segment(a.segment()).append(a.data().array());
            case Op.Store s -> {
                InMemorySegment stored = segment(s.segment());
                stored.append(s.data().array());
                stored.durableLength = stored.length; // long-term storage has it before the log
            }
            case Op.Truncate t -> {
                InMemorySegment s = segment(t.segment());
                s.start = Math.max(s.start, t.position());
            }
            case Op.Seal s -> segment(s.segment()).sealed = true;
            case Op.Delete d -> segments.remove(d.segment());
            case Op.Note n -> segment(n.segment());
        }
    }

    private void applyToRiders(Op op) {
        switch (op) {
            case Op.Create c -> {
                InMemorySegment s = segment(c.segment());
                riders.put(c.segment(), riderFactory.create(this, s.info(), s.attributes.view(), null));
            }
            case Op.Append a ->
                rider(a.segment())
                        .applyAppend(
                                segment(a.segment()).length - a.data().array().length,
                                a.data().view());
            case Op.Note n -> rider(n.segment()).applyNote(n.note().view());
            case Op.Delete d -> {
                SegmentRider rider = riders.remove(d.segment());
                if (rider != null) {
                    rider.closed(new StoreFailure.NoSuchSegment(d.segment(), "the segment was deleted"));
                }
            }
            case Op.Truncate t -> {}
            case Op.Store s -> {}
            case Op.Seal s -> rider(s.segment()).applySeal();
        }
    }

    @Override
    public void read(long segment, long position, int maxBytes, ReadReply reply) {
        checkLoop();
        StoreFailure why = readFailure(segment, position);
        if (why != null) {
            reply.failed(why);
            return;
        }
        InMemorySegment s = segment(segment);
        int size = (int) Math.min(maxBytes, s.durableLength - position);
        if (position >= s.cachedFrom) {
            reply.data(position, lend(s.copy(position, size, block)));
            return;
        }
        int piece = (int) Math.min(Math.min(size, block), s.cachedFrom - position);
        execute(LoopTask.of(
                () -> {
                    StoreFailure gone = readFailure(segment, position);
                    if (gone == null || stopped == null && ++overtaken % 2 == 1) {
                        reply.data(position, lend(s.copy(position, piece, block)));
                    } else {
                        reply.failed(gone);
                    }
                },
                reply::failed));
    }

    @Override
    public void readUncached(long segment, long position, int maxBytes, ReadReply reply) {
        read(segment, position, maxBytes, reply);
    }

    private @Nullable StoreFailure readFailure(long segment, long position) {
        if (stopped != null) {
            return stopped;
        }
        InMemorySegment s = segments.get(segment);
        if (s == null) {
            return new StoreFailure.NoSuchSegment(segment, "segment " + segment + " does not exist");
        }
        return position < s.start || position >= s.durableLength
                ? new StoreFailure.OutOfRange(segment, position, "position " + position + " is out of range")
                : null;
    }

    @Override
    public @Nullable ByteBuf readCached(long segment, long position, int maxBytes) {
        checkLoop();
        InMemorySegment s = segments.get(segment);
        if (s == null || position < Math.max(s.start, s.cachedFrom) || position >= s.durableLength) {
            return null;
        }
        return lend(s.copy(position, (int) Math.min(maxBytes, s.durableLength - position), block));
    }

    private ByteBuf lend(ByteBuf buffer) {
        bytesRead += buffer.readableBytes();
        synchronized (lent) {
            if (lent.size() > 1000) {
                lent.removeIf(b -> b.refCnt() == 0);
            }
            lent.add(buffer);
        }
        return buffer;
    }

    @Override
    public int maxAppendBytes() {
        return MAX_APPEND;
    }

    private InMemorySegment segment(long segment) {
        InMemorySegment s = segments.get(segment);
        if (s == null) {
            throw new IllegalStateException("no segment " + segment);
        }
        return s;
    }

    private void checkLoop() {
        if (!onLoop()) {
            throw new IllegalStateException("called on " + Thread.currentThread() + ", not on the loop");
        }
    }
}
