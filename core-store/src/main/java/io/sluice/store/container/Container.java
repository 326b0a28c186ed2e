package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.store.pressure.Pressure;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.Operation;
import io.sluice.store.tier.Tier;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One container in one term: recovers, serves, stops, and is not used again.
 *
 * <pre>
 *   open ─► RECOVERING ─► STARTING (first checkpoint) ─► SERVING ─► STOPPED ─► finished
 *              └───────────────┴────────── log lost, invariant broken, closed ──┘
 * </pre>
 *
 * <p>One thread calls {@link #doWork}: a {@link ContainerLoop}, a test, the simulation.
 */
public final class Container implements SegmentContainer {
    private static final Logger log = LoggerFactory.getLogger(Container.class);
    private static final int MOST_NOTE_BYTES = 1 << 20;
    private static final long TIER_TURN_MICROS = 1_000;
    private static final long IDLE_TURN_MICROS = 100_000;
    private static final long DIRTY_TURN_MICROS = 10_000;

    private final int id;
    private final ContainerConfig config;
    private final ContainerParts parts;
    private final ContainerListener listener;

    private final MpscUnboundedArrayQueue<LoopTask> tasks = new MpscUnboundedArrayQueue<>(1024);
    private final MpscUnboundedArrayQueue<Runnable> posts = new MpscUnboundedArrayQueue<>(64);
    private final AppendQueue appends;
    private final Timers timers = new Timers();
    private final LogSpace space = new LogSpace();
    private final ReadIndex index;
    private final CacheRoom room;
    private final Segments segments;
    private final FramePipeline pipeline;
    private final LedgerChain chain;
    private final ContainerTier host;
    private final TierReads tierReads;
    private final Pressure pressure;
    private final List<OpenSegment> grown = new ArrayList<>();
    private final ByteBuf checkpoint = UnpooledByteBufAllocator.DEFAULT.heapBuffer(4096);

    private volatile Runnable wake = () -> {};
    private volatile Phase phase = Phase.RECOVERING;
    private volatile boolean stopped;
    private volatile boolean finished;
    private volatile boolean closing;
    private volatile long term;
    private @Nullable Thread owner;

    private @Nullable Wal wal;
    private @Nullable Tier tier;
    private boolean logClosed;
    private @Nullable String stopReason;
    private long nowMicros;
    private long nowMillis;
    private long tierTurnAt;
    private long closeAt = Long.MAX_VALUE;
    private long durableSequence;
    private long appendedBytes;

    private enum Phase {
        RECOVERING,
        STARTING,
        SERVING,
        STOPPED
    }

    public Container(int id, ContainerConfig config, ContainerParts parts, ContainerListener listener) {
        this.id = id;
        this.config = config;
        this.parts = parts;
        this.listener = listener;
        this.index = new ReadIndex(parts.cache(), config.reads().index());
        this.room =
                new CacheRoom(parts.cache(), index, config.reads().index().maxEntryBytes(), config.maxAppendBytes());
        this.segments = new Segments(this, parts.riders(), index, space);
        this.pipeline = new FramePipeline(config.log(), space, new Retirement(), this::wakeUp);
        this.chain = new LedgerChain(config.log(), parts.tasks(), space, pipeline, new ChainHost());
        this.host = new ContainerTier(this, segments, index, space);
        this.tierReads = new TierReads(config.reads(), index, segments);
        this.pressure = new Pressure(config.pressure());
        this.appends =
                new AppendQueue(config.appendDeadlineMicros(), config.log().frameBytes());
    }

    /** Starts the recovery, which ends in {@link ContainerListener#serving} or {@link ContainerListener#stopped}. Once. */
    public void open() {
        parts.tasks().start("recover-container-" + id, new RecoverContainer(this, parts.wal(), segments, space));
    }

    /** Finishes what is in flight, then stops; any thread. Idempotent. */
    public void close() {
        closing = true;
        wakeUp();
    }

    /** Stopped, with nothing of it left in the log's hands: its cache may be used again. Any thread. */
    public boolean finished() {
        return finished;
    }

    void onWake(Runnable newWake) {
        wake = newWake;
    }

    private void wakeUp() {
        wake.run();
    }

    // ---- the loop ----

    /**
     * One turn of the loop.
     *
     * @param now microseconds since the epoch, never less than before
     * @return how much was done; 0 means the loop may rest until {@link #nextTurnAt} or the next wake-up
     */
    public int doWork(long now) {
        nowMicros = now;
        nowMillis = now / 1000;
        if (phase == Phase.STOPPED) {
            return afterStop();
        }
        try {
            int work = turn(now);
            if (stopReason != null) {
                finishStop(stopReason);
            }
            return work;
        } catch (RuntimeException e) {
            log.error("Container {} stops: its state is not to be trusted", id, e);
            finishStop("internal error: " + e.getMessage());
            return 1;
        }
    }

    private int turn(long now) {
        int posted = drainPosts();
        if (phase == Phase.RECOVERING) {
            return posted;
        }
        int work = posted + pipeline.retire(now);
        WalException failure = pipeline.failure();
        if (failure != null) {
            lost(failure);
        }
        if (phase == Phase.SERVING && stopReason == null && !closing) {
            work += serve(now, posted);
        }
        index.reclaim();
        if (stopReason == null) {
            work += pipeline.send(now);
            finishClosing(now);
        }
        return work;
    }

    private int serve(long now, int posted) {
        int work = timers.fire(now, runTask);
        int queued = tasks.size();
        for (int i = 0; i < queued; i++) {
            LoopTask task = tasks.poll();
            if (task == null) {
                break;
            }
            run(task);
            work++;
        }
        work += appends.pass(now, appendStore);
        if (tier != null && (posted > 0 || now - tierTurnAt >= TIER_TURN_MICROS)) {
            tierTurnAt = now;
            work += tier.doWork(nowMillis);
        }
        chain.turn(now);
        return work;
    }

    private int drainPosts() {
        int queued = posts.size();
        int done = 0;
        for (Runnable post = posts.poll(); post != null; post = done < queued ? posts.poll() : null) {
            post.run();
            done++;
        }
        return done;
    }

    private final Consumer<LoopTask> runTask = this::run;

    private void run(LoopTask task) {
        if (stopReason != null) {
            task.abandoned(notOwner(stopReason));
            return;
        }
        try {
            task.run();
        } catch (RuntimeException e) {
            log.error("A task failed on the loop of container {}", id, e);
        }
    }

    private final AppendQueue.Store appendStore = new AppendQueue.Store() {
        @Override
        public long delayMicros() {
            return delay();
        }

        @Override
        public long appendedBytes() {
            return appendedBytes;
        }

        @Override
        public void run(LoopTask append) {
            Container.this.run(append);
            if (pipeline.backedUp()) {
                pipeline.send(nowMicros);
            }
        }
    };

    private long delay() {
        if (pipeline.backedUp() || stopReason != null || !room.forLargestAppend()) {
            return Pressure.CLOSED;
        }
        return pressure.delayMicros(room.fill(), logFill());
    }

    private double logFill() {
        return Pressure.logFill(space.bytes(), config.log().limitBytes());
    }

    double flushPressure() {
        return pressure.flushPressure(room.fill(), logFill());
    }

    /** When {@link #doWork} should be called again though nobody wakes the loop; microseconds since the epoch. */
    public long nextTurnAt() {
        if (phase != Phase.SERVING) {
            return nowMicros + DIRTY_TURN_MICROS;
        }
        long atLatest = nowMicros + (host.hasDirty() || closing ? DIRTY_TURN_MICROS : IDLE_TURN_MICROS);
        long due = Math.min(Math.min(timers.nextAt(), pipeline.dueAt()), appends.nextAt(nowMicros, delay()));
        return Math.min(atLatest, due);
    }

    /** Something came in since the last turn. Any thread. */
    boolean hasWork() {
        boolean requests = phase == Phase.SERVING && (!tasks.isEmpty() || !appends.noArrivals());
        return requests || !posts.isEmpty() || pipeline.hasAnswers();
    }

    // ---- from recovery to the end ----

    /** Called by the recovery, whose thread owns the container from now until {@link #recovered}. */
    void takenOver(Wal opened) {
        wal = opened;
        term = opened.term();
        owner = Thread.currentThread();
        tier = parts.tier().open(host);
    }

    void recovered(LedgerWriter first) {
        owner = Thread.currentThread();
        phase = Phase.STARTING;
        chain.begin(Objects.requireNonNull(wal), first, new Durable() {
            @Override
            public void durable() {
                startServing();
            }

            @Override
            public void failed(StoreFailure why) {}
        });
    }

    void recoveryFailed(Exception why) {
        owner = Thread.currentThread();
        log.error("Container {} could not be recovered: {}", id, why.getMessage());
        stop("recovery failed: " + why.getMessage());
    }

    private void startServing() {
        phase = Phase.SERVING;
        durableSequence = segments.state().sequence();
        for (long segment : segments.state().segments()) {
            OpenSegment each = Objects.requireNonNull(segments.get(segment));
            each.durableLength = each.state.length();
            host.changed(each, true, false);
            each.rider.durable(each.durableLength);
        }
        log.info(
                "Container {} serves {} segments in term {}",
                id,
                segments.state().segments().length,
                term);
        listener.serving(this);
    }

    private void lost(WalException why) {
        stop((why instanceof WalException.Fenced ? "another owner took the log over: " : "the log failed: ")
                + why.getMessage());
    }

    /** Takes effect at the end of the turn. */
    private void stop(String reason) {
        if (stopReason == null) {
            stopReason = reason;
        }
    }

    private void finishClosing(long now) {
        if (closing) {
            closeAt = Math.min(closeAt, now + config.closeDeadlineMicros());
            if (pipeline.idle() || now >= closeAt) {
                stop("closed");
            }
        }
    }

    private void finishStop(String reason) {
        phase = Phase.STOPPED;
        stopReason = reason;
        log.info("Container {} stops in term {}: {}", id, term, reason);
        StoreFailure why = notOwner(reason);
        pipeline.fail(why);
        timers.abandon(why);
        stopped = true;
        abandonQueued(why);
        tierReads.close(why);
        if (tier != null) {
            tier.close();
        }
        segments.close(why);
        checkpoint.release();
        parts.tasks().start("close-log-" + id, () -> {
            if (wal != null) {
                wal.close();
            }
            logClosed = true;
            wakeUp();
        });
        listener.stopped(this, reason);
    }

    private int afterStop() {
        if (!finished && logClosed && pipeline.drained()) {
            posts.clear();
            finished = true;
            return 1;
        }
        return 0;
    }

    /** Also called by those who queued something while the container stopped: hence the lock. */
    private synchronized void abandonQueued(StoreFailure why) {
        for (LoopTask task = tasks.poll(); task != null; task = tasks.poll()) {
            task.abandoned(why);
        }
        appends.abandon(why);
    }

    private StoreFailure notOwner(String reason) {
        return new StoreFailure.NotOwner(id, "container " + id + " is not served here any more: " + reason);
    }

    private StoreFailure notOwner() {
        return notOwner(stopReason == null ? "not open" : stopReason);
    }

    private final class Retirement implements FramePipeline.Retirement {
        @Override
        public void durable(OpenSegment segment, long length) {
            segment.durableLength = length;
            if (!segment.grown) {
                segment.grown = true;
                grown.add(segment);
            }
        }

        @Override
        public void durable(long sequence) {
            durableSequence = sequence;
            for (OpenSegment segment : grown) {
                segment.grown = false;
                if (segments.get(segment.state.segment()) == segment) {
                    host.changed(segment, true, false);
                    segment.rider.durable(segment.durableLength);
                }
            }
            grown.clear();
        }
    }

    private final class ChainHost implements LedgerChain.Host {
        @Override
        public long rolled(LogSpace.Ledger ledger, Durable checkpointed) {
            segments.into(ledger);
            checkpoint.clear();
            segments.checkpoint(checkpoint);
            long sequence = segments.state().sequence();
            pipeline.write(new Operation.Checkpoint(checkpoint), null, 0, checkpointed, sequence);
            return checkpoint.readableBytes();
        }

        @Override
        public void post(Runnable onLoop) {
            Container.this.post(onLoop);
        }

        @Override
        public void lost(WalException why) {
            Container.this.lost(why);
        }

        @Override
        public int id() {
            return id;
        }
    }

    // ---- SegmentContainer ----

    @Override
    public int id() {
        return id;
    }

    @Override
    public long term() {
        return term;
    }

    @Override
    public boolean onLoop() {
        return Thread.currentThread() == owner;
    }

    @Override
    public void execute(LoopTask task) {
        if (stopped) {
            task.abandoned(notOwner());
            return;
        }
        tasks.offer(task);
        queued();
    }

    @Override
    public void executeAppend(LoopTask task) {
        if (stopped) {
            task.abandoned(notOwner());
            return;
        }
        appends.offer(task);
        queued();
    }

    private void queued() {
        wakeUp();
        if (stopped) {
            abandonQueued(notOwner());
        }
    }

    /** Runs {@code onLoop} soon; dropped if the container has stopped. Any thread. */
    void post(Runnable onLoop) {
        if (!stopped) {
            posts.offer(onLoop);
            wakeUp();
        }
    }

    @Override
    public long now() {
        return nowMillis;
    }

    @Override
    public void schedule(long delayMillis, LoopTask task) {
        if (stopped) {
            task.abandoned(notOwner());
        } else {
            timers.set(nowMicros + delayMillis * 1000, task);
        }
    }

    @Override
    public @Nullable SegmentInfo info(long segment) {
        OpenSegment found = segments.get(segment);
        return found == null ? null : found.info();
    }

    @Override
    public @Nullable SegmentRider rider(long segment) {
        OpenSegment found = segments.get(segment);
        return found == null ? null : found.rider;
    }

    @Override
    public void create(long segment, byte kind, ByteBuf attributes, Durable done) {
        if (serving(done)) {
            sequence(segments.state().decideCreate(segment, kind, attributes), done);
        }
    }

    @Override
    public long append(long segment, ByteBuf data, Durable done) {
        if (!serving(done)) {
            return -1;
        }
        int bytes = data.readableBytes();
        if (bytes > config.maxAppendBytes()) {
            throw new IllegalArgumentException("an append of " + bytes + " bytes, at most " + config.maxAppendBytes());
        }
        Operation.Append operation = segments.state().decideAppend(segment, data);
        if (!room.forAppend(bytes)) {
            throw new IllegalStateException("no room in the cache: appends must be queued as such");
        }
        apply(operation);
        OpenSegment target = Objects.requireNonNull(segments.get(segment));
        pipeline.write(
                operation, target, target.state.length(), done, segments.state().sequence());
        appendedBytes += bytes;
        return operation.position();
    }

    @Override
    public void note(long segment, ByteBuf note, Durable done) {
        if (note.readableBytes() > MOST_NOTE_BYTES) {
            throw new IllegalArgumentException("a note of " + note.readableBytes() + " bytes");
        }
        if (serving(done)) {
            sequence(segments.state().decideNote(segment, note), done);
        }
    }

    @Override
    public void barrier(Durable done) {
        if (serving(done)) {
            pipeline.barrier(done);
        }
    }

    @Override
    public void truncate(long segment, long position, Durable done) {
        if (serving(done)) {
            sequenceOrBarrier(segments.state().decideTruncate(segment, position), done);
        }
    }

    @Override
    public void seal(long segment, Durable done) {
        if (serving(done)) {
            sequenceOrBarrier(segments.state().decideSeal(segment), done);
        }
    }

    @Override
    public void delete(long segment, Durable done) {
        if (serving(done)) {
            sequence(segments.state().decideDelete(segment), done);
        }
    }

    private boolean serving(Durable done) {
        if (phase == Phase.SERVING) {
            return true;
        }
        done.failed(notOwner());
        return false;
    }

    private void sequenceOrBarrier(@Nullable Operation operation, Durable done) {
        if (operation == null) {
            pipeline.barrier(done);
        } else {
            sequence(operation, done);
        }
    }

    /** Applies an operation and writes it to the log. */
    void sequence(Operation operation, Durable done) {
        if (!serving(done)) {
            return;
        }
        OpenSegment target = switch (operation) {
            case Operation.Truncate truncate -> segments.get(truncate.segment());
            case Operation.DeleteSegment delete -> segments.get(delete.segment());
            default -> null;
        };
        apply(operation);
        if (target != null) {
            host.changed(target, segments.get(target.state.segment()) == target, true);
        }
        boolean releases = target != null || operation instanceof Operation.TierCommit;
        Durable waiter = releases ? new Releasing(operation, target, done) : done;
        pipeline.write(operation, null, 0, waiter, segments.state().sequence());
    }

    private void apply(Operation operation) {
        try {
            segments.apply(operation);
        } catch (RuntimeException e) {
            log.error("Container {} stops: an operation could not be applied", id, e);
            stop("internal error: " + e.getMessage());
            throw e;
        }
    }

    /** Gives log space back once the operation that freed it is durable. */
    private final class Releasing implements Durable {
        private final Operation operation;
        private final @Nullable OpenSegment target;
        private final Durable done;

        Releasing(Operation operation, @Nullable OpenSegment target, Durable done) {
            this.operation = operation;
            this.target = target;
            this.done = done;
        }

        @Override
        public void durable() {
            segments.released(operation, target);
            done.durable();
        }

        @Override
        public void failed(StoreFailure why) {
            done.failed(why);
        }
    }

    @Override
    public void read(long segment, long position, int maxBytes, ReadReply reply) {
        ByteBuf cached = readCached(segment, position, maxBytes);
        if (cached != null) {
            reply.data(position, cached);
        } else if (phase != Phase.SERVING) {
            reply.failed(notOwner());
        } else {
            tierReads.read(Objects.requireNonNull(tier), segment, position, maxBytes, reply);
        }
    }

    @Override
    public @Nullable ByteBuf readCached(long segment, long position, int maxBytes) {
        OpenSegment target = segments.get(segment);
        if (target == null || position < target.state.start() || position >= target.durableLength || maxBytes < 1) {
            return null;
        }
        return index.read(segment, position, (int) Math.min(maxBytes, target.durableLength - position));
    }

    @Override
    public int maxAppendBytes() {
        return config.maxAppendBytes();
    }

    long durableSequence() {
        return durableSequence;
    }
}
