package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.container.TermLife.Phase;
import io.sluice.store.pressure.Pressure;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.LogOperation;
import io.sluice.store.tier.Tier;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One container in one term: recovers, serves, stops, and is not used again.
 *
 * <pre>
 *   open ─► RECOVERING ─► STARTING (first checkpoint) ─┬────────► SERVING ─► STOPPED ─► finished
 *              │               │                         └► STORING ────┴─────┘
 *              └───────────────┴────────── log lost, invariant broken, closed ──┘
 * </pre>
 *
 * <p>STORING is for a cache that cannot hold what the tier lacks, because it was larger when that was written: the tier takes
 * what the cache does hold, and the term ends, so that the next one finds less. {@link #storedAhead} tells such an end.
 *
 * <p>One thread calls {@link #doWork}: a {@link ContainerLoop}, a test, the simulation.
 */
public final class Container {
    private static final Logger log = LoggerFactory.getLogger(Container.class);
    private static final long IDLE_TURN_MICROS = 100_000;
    private static final long DIRTY_TURN_MICROS = 10_000;

    private final int id;
    private final ContainerParts parts;
    private final ContainerListener listener;
    private final Durability durability;
    private final UnsyncedTail tail;

    private final TermLife life;
    private final LoopWork loop;
    private final AppendQueue appends;
    private final LogSpace space = new LogSpace();
    private final ReadIndex index;
    private final CacheRoom room;
    private final Segments segments;
    private final ServedSegments served;
    private final LogSyncs syncs;
    private final FramePipeline pipeline;
    private final LedgerRoller ledgers;
    private final LogLength length;
    private final Departure departure;
    private final ContainerTier tierHost;
    private final TierTurns tier = new TierTurns();
    private final Sequencer sequencer;
    private final TierReads tierReads;
    private final WriterPressure pressure;
    private final DurableEnds durable;
    private final StatsTurns stats;
    private final PartsHost host = new PartsHost();

    private final TermFaults faults;
    private final RecoveryClock recovery = new RecoveryClock();

    private @Nullable Wal wal;
    /** To be taken once only the loop uses the cache. */
    private @Nullable MemoryShare share;

    public Container(int id, ContainerConfig config, ContainerParts parts, ContainerListener listener) {
        this.id = id;
        this.parts = parts;
        this.listener = listener;
        this.life = new TermLife(id, config.closeDeadlineMicros());
        this.faults = new TermFaults(id, life);
        this.appends = new AppendQueue(config.appendDeadlineMicros());
        this.loop = new LoopWork(appends, life);
        this.index = new ReadIndex(parts.cache(), config.reads());
        this.room = new CacheRoom(parts.cache(), index, config.reads().maxEntryBytes(), config.maxAppendBytes());
        this.segments = new Segments(this::newRider, index, space, parts.ends());
        this.tierHost = new ContainerTier(host, segments, index, space);
        this.durability = config.log().durability();
        this.tail = new UnsyncedTail(id, segments, parts.ends(), config.log().forceAfterMicros());
        this.durable = new DurableEnds(segments, tierHost, durability.defersSync(), parts.ends());
        this.syncs = new LogSyncs(durability.defersSync(), config.log().forceAfterMicros(), host);
        this.pipeline = new FramePipeline(id, config.log(), space, syncs, durable, loop::wakeUp);
        this.length = new LogLength(space);
        this.ledgers = new LedgerRoller(config.log(), parts.tasks(), space, length, pipeline, host);
        this.departure = new Departure(space, ledgers);
        this.sequencer = new Sequencer(segments, pipeline, syncs, room, tierHost, faults::broken);
        this.tierReads = new TierReads(index, segments);
        this.pressure = new WriterPressure(config, room, space, pipeline);
        this.stats = new StatsTurns(
                parts.cache(), index, segments, sequencer, appends, pipeline, pressure, tierReads, ledgers, loop);
        this.served = new ServedSegments(id, durability, room, life, loop, segments, index, sequencer, tierReads, tier);
    }

    private SegmentRider newRider(SegmentInfo segment, ByteBuf attributes, @Nullable ByteBuf snapshot) {
        return parts.riders().create(served, segment, attributes, snapshot);
    }

    public int id() {
        return id;
    }

    /** 0 until the log was taken over. Any thread. */
    public long term() {
        return life.term();
    }

    /** Segments of the container; refuses calls while the term does not serve, and after its end. */
    public SegmentContainer segments() {
        return served;
    }

    /** Starts the recovery, which ends in {@link ContainerListener#serving} or {@link ContainerListener#stopped}. Once. */
    public void open() {
        recovery.begin();
        try {
            CacheRefill refill = new CacheRefill(segments, index);
            parts.tasks()
                    .start(
                            "recover-container-" + id,
                            new RecoverContainer(host, parts.wal(), durability, segments, space, refill));
        } catch (Throwable e) {
            // no thread to be had: waiters for the outcome are told all the same
            post(() -> host.recoveryFailed(e));
        }
    }

    /** Finishes what is in flight, then stops; any thread. Idempotent. */
    public void close() {
        life.close();
        loop.wakeUp();
    }

    /**
     * As {@link #close}, but first, for at most {@link Departure#LONGEST_MICROS}, long-term storage takes what the log holds, so that the
     * next owner has little to read. Any thread. Idempotent.
     */
    public void leave() {
        departure.ask();
        loop.wakeUp();
    }

    /**
     * Changes the container's share of the memory: its cache, the largest append, frames, and what the tier reads ahead and
     * lets wait. A recovery is not held up: it goes on with what the container began with. Any thread; the last one counts.
     */
    public void resize(MemoryShare changed) {
        post(() -> share = changed);
    }

    private void takeShare(MemoryShare changed) {
        share = null;
        room.resize(changed.cacheBytes(), changed.maxAppendBytes());
        pipeline.resize(changed.log());
        tier.resize(changed.untieredRoom(), changed.readAheadBytes());
    }

    /**
     * Ends the term if no segment is left, so that none can come after this was looked at. Any thread.
     *
     * @param empty run on the loop if it does, before anybody learns that the term ends
     * @return how many segments there are: 0 if the term ends. Fails if the container does not serve
     */
    public CompletableFuture<Integer> closeIfEmpty(Runnable empty) {
        return served.ask(() -> {
            int left = segments.size();
            if (left == 0) {
                empty.run();
                life.stop("it is removed");
            }
            return left;
        });
    }

    /** Stopped, with nothing of it left in the log's hands: its cache may be used again. Any thread. */
    public boolean finished() {
        return life.finished();
    }

    /** The term never served, but the next one has less to hold: open it at once. Any thread, once stopped. */
    public boolean storedAhead() {
        return life.storedAhead();
    }

    /** Why no later term will do better: what the log holds is not what was written. Null otherwise. Any thread, once stopped. */
    public @Nullable String damage() {
        return life.damage();
    }

    /** The term ended, or did not begin, because the log did not answer: another node may reach it. Any thread, once stopped. */
    public boolean isLogAway() {
        return life.isLogAway();
    }

    /** Unexpected failure that ended the term; null if there was none. Any thread, once stopped. */
    @Nullable
    Throwable failure() {
        return faults.failure();
    }

    /** How long the steps of its recovery took; null before it serves. Any thread. */
    public @Nullable RecoveryTimes recoveryTimes() {
        return recovery.times();
    }

    /** Null before it serves. Any thread. */
    public @Nullable ContainerStats stats() {
        return stats.latest();
    }

    void onWake(Runnable wake) {
        loop.onWake(wake);
    }

    // ---- the loop ----

    /**
     * One turn of the loop.
     *
     * @param now microseconds since the epoch, never less than before
     * @return how much was done; 0 means the loop may rest until {@link #nextTurnAt} or the next wake-up
     */
    public int doWork(long now) {
        loop.turnsAt(now);
        if (life.is(Phase.STOPPED)) {
            return afterStop();
        }
        try {
            int work = turn(now);
            String reason = life.stopReason();
            if (reason != null) {
                finishStop(reason);
            }
            return work;
        } catch (Throwable e) {
            // whatever it is: a container that is leased and not turned would be out of everybody's reach
            if (life.is(Phase.STOPPED)) {
                throw e;
            }
            log.error("Container {} stops: its state is not to be trusted", id, e);
            fail(e);
            return 1;
        }
    }

    /** Ends the term because the loop cannot go on; on the loop's thread, which turns the container no more. */
    void abandon(Throwable why) {
        if (!life.is(Phase.STOPPED)) {
            fail(why);
        }
    }

    private void fail(Throwable why) {
        finishStop(faults.unexpected(why));
    }

    private int turn(long now) {
        int posted = loop.drainPosts();
        if (life.is(Phase.RECOVERING)) {
            return posted;
        }
        if (share != null) {
            takeShare(share);
        }
        int work = posted + pipeline.retire(now);
        WalException failure = pipeline.failure();
        if (failure != null) {
            faults.logFailed(failure);
        }
        if (!life.ending()) {
            work += syncs.turn(now, life.closing());
        }
        if (!life.ending() && !life.closing()) {
            work += switch (life.phase()) {
                case SERVING -> serve(now, posted);
                case STORING -> store(now, posted);
                default -> 0;
            };
        }
        index.reclaim();
        if (!life.ending()) {
            work += pipeline.send(now);
            life.finishClosing(now, pipeline.idle() && syncs.idle());
        }
        return work;
    }

    private int serve(long now, int posted) {
        int work = loop.drainTasks(runTask);
        work += appends.pass(now, appendStore) + tier.turn(now, posted);
        if (life.ending()) {
            return work;
        }
        length.turn(now);
        ledgers.turn(now);
        if (departure.turn(now)) {
            life.close();
        }
        stats.turn(now);
        return work;
    }

    private int store(long now, int posted) {
        int work = tier.turn(now, posted);
        ledgers.turn(now);
        if (!tierHost.hasDirty() && pipeline.idle() && syncs.idle()) {
            life.haveStoredAhead();
            life.stop("long-term storage has what the cache could not hold; the log is read again");
        }
        return work;
    }

    private final Consumer<LoopTask> runTask = this::run;

    private void run(LoopTask task) {
        if (life.ending()) {
            task.abandoned(life.notOwner());
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
            return sequencer.appendedBytes();
        }

        @Override
        public void run(LoopTask append) {
            Container.this.run(append);
            if (pipeline.backedUp() && !life.ending()) {
                pipeline.send(loop.micros());
            }
        }
    };

    private long delay() {
        return !life.ending() && parts.wal().takesAppends() ? pressure.delayMicros(loop.micros()) : Pressure.CLOSED;
    }

    /** When {@link #doWork} should be called again if nothing wakes the loop before; microseconds since the epoch. */
    public long nextTurnAt() {
        long now = loop.micros();
        if (!life.is(Phase.SERVING)) {
            return now + DIRTY_TURN_MICROS;
        }
        long atLatest = now
                + (tierHost.hasDirty() || life.closing() || departure.isUnderWay()
                        ? DIRTY_TURN_MICROS
                        : IDLE_TURN_MICROS);
        long due = Math.min(
                Math.min(loop.nextTimerAt(), appends.nextAt(now, delay())), Math.min(pipeline.dueAt(), syncs.dueAt()));
        return Math.min(atLatest, due);
    }

    /** Something came in since the last turn. Any thread. */
    boolean hasWork() {
        return (life.is(Phase.SERVING) && loop.hasRequests()) || loop.hasPosts() || pipeline.hasAnswers();
    }

    // ---- from recovery to the end ----

    private void takenOver(Wal opened) {
        wal = opened;
        life.begin(opened.term());
        parts.ends().takenOver(opened.term());
        loop.ownedHere();
        Tier longTerm = parts.tier().open(tierHost);
        tier.begin(longTerm);
        tierReads.from(longTerm);
    }

    private void recovered(LedgerWriter first, boolean cached) {
        loop.ownedHere();
        life.enter(Phase.STARTING);
        Durable checkpointed = Durable.of(() -> {
            recovery.checkpointed();
            durable.recovered();
            if (cached) {
                startServing();
            } else {
                startStoring();
            }
        });
        ledgers.begin(Objects.requireNonNull(wal), first, checkpointed);
    }

    private void startServing() {
        life.enter(Phase.SERVING);
        durable.serveAll();
        log.debug("Container {} serves {} segments", id, segments.state().segments().length);
        if (durability.defersSync()) {
            tail.tellWhatIsLost(Objects.requireNonNull(wal).recovered().isEmpty(), lost -> listener.lost(this, lost));
        }
        listener.serving(this);
    }

    private void startStoring() {
        life.enter(Phase.STORING);
        log.warn(
                "Container {} holds {} MiB that long-term storage lacks, more than its cache of {} MiB can take: it stores"
                        + " some of it before it serves; more memory makes this faster",
                id,
                space.untieredBytes() >> 20,
                parts.cache().stats().capacityBytes() >> 20);
        durable.storeCached();
    }

    private void finishStop(String reason) {
        life.stopped(reason);
        log.info("Container {} stops in term {}: {}", id, life.term(), reason);
        StoreFailure why = life.notOwner();
        TermEnd.step("fail what waits for the disks", () -> syncs.fail(why));
        TermEnd.step("fail what is on its way into the log", () -> pipeline.fail(why));
        TermEnd.step("turn away who waits for the loop", () -> loop.close(why));
        TermEnd.step("turn away readers", () -> tierReads.close(why));
        TermEnd.step("leave long-term storage", tier::close);
        TermEnd.step("close the segments", () -> segments.close(why));
        TermEnd.step("let go of the checkpoint's buffer", sequencer::close);
        try {
            parts.tasks().start("close-log-" + id, this::closeLog);
        } finally {
            // the lease is held until the owner knows; if even this fails, the loop ends and says so
            listener.stopped(this, reason);
        }
    }

    private void closeLog() {
        try {
            if (wal != null) {
                wal.close();
            }
        } finally {
            // the next owner closes what is still open
            life.logClosed();
            loop.wakeUp();
        }
    }

    private int afterStop() {
        if (!life.finished() && life.isLogClosed() && pipeline.drained()) {
            loop.clear();
            life.finish();
            return 1;
        }
        return 0;
    }

    /** The container, as its parts need it. */
    private final class PartsHost
            implements RecoverContainer.Host, LedgerRoller.Host, ContainerTier.Host, LogSyncs.Host {
        @Override
        public int id() {
            return id;
        }

        @Override
        public long term() {
            return life.term();
        }

        @Override
        public RecoveryClock clock() {
            return recovery;
        }

        @Override
        public long now() {
            return loop.millis();
        }

        @Override
        public void takenOver(Wal opened) {
            Container.this.takenOver(opened);
        }

        @Override
        public void recovered(LedgerWriter first, boolean cached) {
            Container.this.recovered(first, cached);
        }

        @Override
        public void recoveryFailed(Throwable why) {
            loop.ownedHere();
            faults.recoveryFailed(why);
        }

        @Override
        public long rolled(LogSpace.Ledger ledger, Durable checkpointed) {
            segments.into(ledger);
            return sequencer.checkpoint(checkpointed);
        }

        @Override
        public void post(Runnable onLoop) {
            loop.post(onLoop);
        }

        @Override
        public void lost(WalException why) {
            faults.logFailed(why);
        }

        @Override
        public void sequence(LogOperation operation, Durable done) {
            served.sequence(operation, done);
        }

        @Override
        public long syncedSequence() {
            return durable.syncedSequence();
        }

        @Override
        public void forcing() {
            durable.forcing();
        }

        @Override
        public void forced() {
            durable.forced();
        }

        @Override
        public double flushPressure() {
            // then everything is urgent until the last byte
            return life.is(Phase.STORING) || departure.isUnderWay() || length.isHurried()
                    ? 2
                    : pressure.flushPressure();
        }
    }

    /** The state itself, for tests that look inside. */
    Segments openSegments() {
        return segments;
    }

    private void post(Runnable onLoop) {
        loop.post(onLoop);
    }
}
