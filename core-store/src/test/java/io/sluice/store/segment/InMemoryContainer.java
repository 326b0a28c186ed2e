package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.segment.InMemoryLog.Bytes;
import io.sluice.store.segment.InMemoryLog.Checkpoint;
import io.sluice.store.segment.InMemoryLog.Op;
import io.sluice.store.segment.InMemoryLog.Snapshot;
import java.util.ArrayDeque;
import java.util.Comparator;
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
    private final LongSupplier clock;
    private final InMemorySegments segments;
    private final LinkedBlockingQueue<LoopTask> queue = new LinkedBlockingQueue<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::due));
    private final UndurableWaits waits;
    private final LentBuffers lent = new LentBuffers();
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

    /** Recovers: restores the checkpoint's riders and applies every durable operation after it. */
    InMemoryContainer(int id, InMemoryLog log, SegmentRiderFactory riderFactory, LongSupplier clock) {
        this.id = id;
        this.log = log;
        this.clock = clock;
        this.term = ++log.term;
        this.now = clock.getAsLong();
        segments = new InMemorySegments(this, riderFactory);
        waits = new UndurableWaits(log);
        segments.recover(log);
        log.synced = log.durable;
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
        segments.makeDurable();
        return waits.complete(before);
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
        segments.get(segment).cachedFrom = position;
    }

    /** Size of buffer components and of the answers of {@link #read} for evicted bytes. */
    public void blockSize(int bytes) {
        block = bytes;
    }

    /** Takes a checkpoint at the present point of the sequenced order: a restart restores it. Loop only. */
    public void checkpoint() {
        Map<Long, Snapshot> all = log.newSnapshots();
        segments.snapshot(all);
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
        waits.fail(why);
        segments.close(why);
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
        return lent.count();
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
        InMemorySegment s = segments.find(segment);
        return s == null ? null : s.info();
    }

    @Override
    public SegmentRider rider(long segment) {
        return segments.rider(segment);
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
        InMemorySegment s = segments.get(segment);
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
            waits.add(done, true);
        }
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
        if (stopped == null && segments.find(segment) == null) {
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
        waits.add(done, !(op instanceof Op.Append || op instanceof Op.Note));
        segments.apply(op);
    }

    @Override
    public void read(long segment, long position, int maxBytes, ReadReply reply) {
        checkLoop();
        StoreFailure why = readFailure(segment, position);
        if (why != null) {
            reply.failed(why);
            return;
        }
        InMemorySegment s = segments.get(segment);
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
        InMemorySegment s = segments.find(segment);
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
        InMemorySegment s = segments.find(segment);
        if (s == null || position < Math.max(s.start, s.cachedFrom) || position >= s.durableLength) {
            return null;
        }
        return lend(s.copy(position, (int) Math.min(maxBytes, s.durableLength - position), block));
    }

    private ByteBuf lend(ByteBuf buffer) {
        bytesRead += buffer.readableBytes();
        lent.add(buffer);
        return buffer;
    }

    @Override
    public int maxAppendBytes() {
        return MAX_APPEND;
    }

    private void checkLoop() {
        if (!onLoop()) {
            throw new IllegalStateException("called on " + Thread.currentThread() + ", not on the loop");
        }
    }
}
