package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.FrameBuilder;
import io.sluice.store.state.LogOperation;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.WalException;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations on their way into the log.
 *
 * <pre>
 *   write ─► open frame ─► complete ─► in flight (bounded) ─► answered by the log ─► retired, in order
 * </pre>
 *
 * <p>A frame leaves when it is full, or when nothing is in flight, or when it has waited for the expected write latency
 * × (1 − fill): idle appends leave at once, and under load frames are large. Loop only.
 */
final class FramePipeline implements FrameBuilder.Frames {
    private static final Logger log = LoggerFactory.getLogger(FramePipeline.class);

    /** Bound on how long a part-filled frame is held back, microseconds: a slow log is no reason to wait longer. */
    private static final long MOST_DELAY = 5_000;

    /** The log answers every append within its own deadline, of seconds. */
    private static final long LOST_AFTER_MICROS = 120_000_000;

    /** A new measurement counts one in this many. */
    private static final int LATENCY_WEIGHT = 8;

    private final int container;
    private ContainerConfig.Log config;
    private final LogSpace space;
    private final LogSyncs syncs;
    private final Retirement retirement;
    private final MpscUnboundedArrayQueue<Frame> answered = new MpscUnboundedArrayQueue<>(64);
    private final FramePool pool;
    private FrameBuilder builder;

    private @Nullable Frame open;
    private final ArrayDeque<Frame> complete = new ArrayDeque<>();
    private final ArrayDeque<Frame> inFlight = new ArrayDeque<>();
    private final ArrayDeque<Frame> retiring = new ArrayDeque<>();
    private final ArrayDeque<Durable> afterRetiring = new ArrayDeque<>();

    private @Nullable LedgerWriter writer;
    private LogSpace.@Nullable Ledger ledger;
    /** Where the last frame went. */
    private @Nullable LedgerWriter sentTo;

    private int inFlightBytes;
    private int unanswered;
    private long now;
    private long latency;
    private long writes;
    private long writeMicros;
    private @Nullable WalException failure;
    private @Nullable Error callbackError;

    /** Told what has become durable, before those who wait for it are. */
    interface Retirement {
        /** {@code segment} is durable up to {@code length}. */
        void durable(OpenSegment segment, long length);

        /** Operations up to {@code sequence} are durable, and all lengths that follow from that were told. */
        void durable(long sequence);
    }

    FramePipeline(
            int container,
            ContainerConfig.Log config,
            LogSpace space,
            LogSyncs syncs,
            Retirement retirement,
            Runnable wake) {
        this.container = container;
        this.config = config;
        this.space = space;
        this.syncs = syncs;
        this.retirement = retirement;
        this.pool = new FramePool(config, answered, wake);
        this.builder = new FrameBuilder(this, config.frameBytes());
    }

    /** Frames have this size, and so many are in flight, from now on; what is in flight already stays so. */
    void resize(ContainerConfig.Log changed) {
        completeOpen();
        config = changed;
        pool.resize(changed);
        builder = new FrameBuilder(this, changed.frameBytes());
    }

    /** Directs all further writes into this ledger. */
    void startLedger(LedgerWriter next, LogSpace.Ledger itsSpace) {
        completeOpen();
        writer = next;
        ledger = itsSpace;
    }

    /**
     * Writes an operation, copying its payload.
     *
     * @param grown the segment whose length becomes {@code length}, or null
     * @param sequence number of operations so far, this one included
     */
    void write(LogOperation operation, @Nullable OpenSegment grown, long length, Durable waiter, long sequence) {
        builder.write(operation);
        Frame last = Objects.requireNonNull(open);
        last.add(grown, length, waiter);
        last.lastSequence = sequence;
    }

    /** Calls {@code waiter} after everything written so far is durable, after the waiters that came before. */
    void barrier(Durable waiter) {
        Frame last = open != null ? open : complete.isEmpty() ? inFlight.peekLast() : complete.peekLast();
        if (last != null) {
            last.add(null, 0, waiter);
        } else if (!retiring.isEmpty()) {
            afterRetiring.add(waiter);
        } else {
            waiter.durable();
        }
    }

    @Override
    public ByteBuf next() {
        completeOpen();
        Frame frame = pool.take(now, LogWriteEvent.start(container));
        frame.writer = writer;
        frame.ledger = ledger;
        open = frame;
        return frame.bytes;
    }

    private void completeOpen() {
        Frame frame = open;
        if (frame != null) {
            builder.seal();
            complete.add(frame);
            space.grew(Objects.requireNonNull(frame.ledger), frame.bytes.readableBytes());
            open = null;
        }
    }

    /** Frames wait for the log: take no more appends. */
    boolean backedUp() {
        return !complete.isEmpty();
    }

    /** Nothing is on its way. */
    boolean idle() {
        return open == null && complete.isEmpty() && inFlight.isEmpty();
    }

    /** Bytes of the current ledger, the open frame included. */
    long ledgerBytes() {
        long closed = ledger == null ? 0 : ledger.bytes;
        return closed + (open == null ? 0 : open.bytes.readableBytes());
    }

    ContainerStats.Log stats() {
        return new ContainerStats.Log(
                space.bytes(),
                space.untieredBytes(),
                space.ledgers(),
                inFlight.size(),
                inFlightBytes,
                writes,
                writeMicros,
                latency);
    }

    /** Sends what is due; says how many frames. */
    int send(long timeNow) {
        now = timeNow;
        int sent = 0;
        while (!complete.isEmpty() && failure == null && slotFor(complete.element())) {
            send(complete.remove());
            sent++;
        }
        Frame part = open;
        if (part != null && complete.isEmpty() && failure == null && slotFor(part) && dueAt(part) <= now) {
            completeOpen();
            send(complete.remove());
            sent++;
        }
        return sent;
    }

    private boolean slotFor(Frame frame) {
        if (inFlight.isEmpty()) {
            return frame.writer == sentTo || syncs.mayRoll();
        }
        return inFlight.size() < config.maxInFlightFrames()
                && inFlightBytes + frame.bytes.readableBytes() <= config.maxInFlightBytes()
                && (frame.writer == sentTo || !syncs.deferred());
    }

    /** When the open frame is to leave, microseconds; far away if there is none or no room for it. */
    long dueAt() {
        Frame part = open;
        return part != null && complete.isEmpty() && slotFor(part) ? dueAt(part) : Long.MAX_VALUE;
    }

    private long dueAt(Frame part) {
        if (inFlight.isEmpty()) {
            return part.openedAt;
        }
        double empty = 1 - (double) part.bytes.readableBytes() / config.frameBytes();
        return part.openedAt + (long) (Math.min(latency, MOST_DELAY) * empty);
    }

    private void send(Frame frame) {
        frame.sentAt = now;
        if (frame.event != null) {
            frame.event.sent(frame.count(), frame.bytes.readableBytes());
        }
        inFlight.add(frame);
        inFlightBytes += frame.bytes.readableBytes();
        unanswered++;
        LedgerWriter to = Objects.requireNonNull(frame.writer);
        sentTo = to;
        try {
            to.append(frame.bytes, frame);
        } catch (RuntimeException | Error e) {
            // nothing may follow it into the log or wait for its answer
            failure = new WalException.Unavailable("the log broke at an append: " + e, e);
            frame.failed(failure);
        }
    }

    /** Takes the log's answers in and tells the waiters; returns the number of answers. See {@link #failure}. */
    int retire(long timeNow) {
        now = timeNow;
        int answers = 0;
        for (Frame frame = answered.poll(); frame != null; frame = answered.poll()) {
            answers += answered(frame);
        }
        if (answers > 0) {
            retireFromHead();
        }
        Frame oldest = inFlight.peek();
        if (oldest != null && failure == null && now - oldest.sentAt > LOST_AFTER_MICROS) {
            failure = new WalException.Unavailable("the log does not answer an append", null);
        }
        return answers;
    }

    /** An append that broke may be answered all the same: the first answer counts. */
    private int answered(Frame frame) {
        if (frame.done) {
            return 0;
        }
        frame.done = true;
        unanswered--;
        return 1;
    }

    private void retireFromHead() {
        for (Frame head = inFlight.peek(); head != null && head.done; head = inFlight.peek()) {
            if (head.failure != null) {
                failure = head.failure;
                break;
            }
            inFlight.remove();
            inFlightBytes -= head.bytes.readableBytes();
            long took = now - head.sentAt;
            latency += (took - latency) / LATENCY_WEIGHT;
            writes++;
            writeMicros += took;
            for (int i = 0; i < head.count(); i++) {
                OpenSegment grown = head.segment(i);
                if (grown != null) {
                    retirement.durable(grown, head.length(i));
                }
            }
            syncs.acknowledged(Objects.requireNonNull(head.writer), head.bytes.readableBytes(), now);
            if (head.event != null) {
                head.event.retired();
            }
            retiring.add(head);
        }
        Frame last = retiring.peekLast();
        if (last != null) {
            retirement.durable(last.lastSequence);
            tellWaiters();
        }
    }

    private void tellWaiters() {
        for (Frame frame = retiring.peek(); frame != null; frame = retiring.peek()) {
            for (int i = 0; i < frame.count(); i++) {
                tell(frame.waiter(i));
            }
            frame.forgetWaiters();
            pool.give(frame);
            retiring.remove();
        }
        for (Durable waiter = afterRetiring.poll(); waiter != null; waiter = afterRetiring.poll()) {
            tell(waiter);
        }
        Error thrown = callbackError;
        if (thrown != null) {
            callbackError = null;
            throw thrown;
        }
    }

    /** One waiter's mistake must not keep the others waiting; an Error ends the term once all were told. */
    private void tell(Durable waiter) {
        try {
            waiter.durable();
        } catch (RuntimeException | Error e) {
            log.error("A callback failed after its operation became durable", e);
            if (e instanceof Error error) {
                callbackError = error;
            }
        }
    }

    /** The log has answered since the last {@link #retire}. Any thread. */
    boolean hasAnswers() {
        return !answered.isEmpty();
    }

    /** Why the log took no more, or null: the term is over then. */
    @Nullable
    WalException failure() {
        return failure;
    }

    /** The term is over: fails everyone who waits, in order. Buffers the log still has come back later. */
    void fail(StoreFailure why) {
        ArrayDeque<Frame> pending = new ArrayDeque<>(retiring);
        pending.addAll(inFlight);
        pending.addAll(complete);
        if (open != null) {
            pending.add(open);
        }
        for (Frame frame : pending) {
            frame.fail(why);
        }
        if (open != null) {
            complete.add(open);
            open = null;
        }
        complete.addAll(retiring);
        retiring.clear();
        complete.forEach(frame -> frame.bytes.release());
        complete.clear();
        release(inFlight);
        pool.close();
    }

    /** Gives up our hold on what was answered, once; the log may keep its own for a little longer. */
    private static void release(ArrayDeque<Frame> frames) {
        frames.removeIf(frame -> {
            if (frame.done) {
                frame.bytes.release();
            }
            return frame.done;
        });
    }

    /** After {@link #fail}: takes back buffers the log has let go of. True when it has none left. */
    boolean drained() {
        for (Frame frame = answered.poll(); frame != null; frame = answered.poll()) {
            answered(frame);
        }
        release(inFlight);
        return unanswered == 0;
    }
}
