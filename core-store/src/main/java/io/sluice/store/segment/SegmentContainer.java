package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The unit of ownership and failover: many segments, one log, one single-writer loop.
 *
 * <pre>
 *  any thread ── execute ─► queue ─► LOOP: decide ─► apply (cache, rider) ─► open frame ─► log (fsync) ─► LOOP: durable, readers, reply
 * </pre>
 *
 * <p>Except for {@code ask}, {@link #execute}, {@link #id}, {@link #term}, {@link #mayLoseAcknowledged}, {@link #isEnded} and {@link #onLoop}, methods
 * may be called on the loop only, which is to say from a step of {@code ask}, a {@link LoopTask}, a callback of this interface, or a {@link SegmentRider}.
 *
 * <p><b>Order.</b> Operations become durable, and their {@link Durable}s are called, in the order in which they were
 * sequenced. <b>Failure.</b> When the log fails or another owner fences it, the container stops: all pending callbacks fail
 * with {@link StoreFailure.NotOwner}, and so does every later call. <b>Idempotence.</b> Nothing here is retried.
 */
public interface SegmentContainer {
    /** Maximum size of one {@link #store}. */
    int MOST_STORED_BYTES = 16 << 20;

    int id();

    /** Rises with every change of owner; fences earlier ones. */
    long term();

    /** Whether its log may lose what it has acknowledged, as those do that do not wait for the sync or for the quorum. Never changes. */
    boolean mayLoseAcknowledged();

    /** Whether its term has ended: {@link StoreFailure.NotOwner} says so of the whole container then. Any thread. */
    boolean isEnded();

    boolean onLoop();

    /**
     * Queues work for the loop; any thread. The queue is bounded by what callers hold (each request in it was admitted by
     * its gateway), so this never blocks. On a stopped container {@code abandoned} is called on the caller's thread.
     */
    void execute(LoopTask task);

    /**
     * Queues an append for the loop; any thread. As {@link #execute}, but the task waits its turn while the store pushes
     * writers back (see {@code store.pressure}); after the pressure's deadline it is abandoned with
     * {@link StoreFailure.Overloaded}. Appends keep their order among themselves.
     */
    void executeAppend(LoopTask task);

    /** Computes an answer on the loop. */
    interface Step<T extends @Nullable Object> {
        /** Never blocks. What it throws is the answer's failure, and the loop goes on. */
        T run() throws Exception;
    }

    /** Begins something on the loop that is answered at once or later. */
    interface LaterStep<T extends @Nullable Object> {
        /**
         * Never blocks. What it throws is the answer's failure, and the loop goes on.
         *
         * @param answer to be completed on the loop, whatever happens: callbacks of this interface come to an end also when the container does
         */
        void run(Answer<T> answer) throws Exception;
    }

    /**
     * Asks the loop something, any thread: the way to a container for all that is not done for each record or batch.
     *
     * <p>Queued as by {@link #execute}, in order with it, and never run before this returns; so a thread may wait for the answer, but not
     * the loop's. The queue has no bound of its own: each caller bounds its own open questions. If the container stops
     * before the step's turn, the step is not run, and the answer is {@link StoreFailure.NotOwner}; if it has stopped already, at once.
     * A question whose turn has not come may be given up: {@link Answer#cancel}.
     */
    default <T extends @Nullable Object> Answer<T> ask(Step<T> step) {
        return ask(answer -> answer.complete(step.run()));
    }

    /** As {@link #ask(Step)}, for what is answered later, as when something is durable: {@link Answer#onceDurable}. */
    default <T extends @Nullable Object> Answer<T> ask(LaterStep<T> step) {
        Answer<T> answer = new Answer<>();
        execute(answer.task(step));
        return answer;
    }

    /** As {@link #ask(LaterStep)}, for a step that appends: it waits its turn as by {@link #executeAppend}. */
    default <T extends @Nullable Object> Answer<T> askAppend(LaterStep<T> step) {
        Answer<T> answer = new Answer<>();
        executeAppend(answer.task(step));
        return answer;
    }

    /**
     * Whether there is room for one more append in this turn of the loop: for tasks of {@link #executeAppend} that make several. The
     * first one has room. On the loop.
     */
    boolean hasRoomForAppend();

    /** The loop's clock, milliseconds since the epoch: one value per turn of the loop, so it costs nothing to ask. */
    long now();

    /**
     * Runs {@code task} on the loop at about {@link #now} + {@code delayMillis}; not a precise timer. Whoever no longer wants it
     * cancels it, so that it holds no memory until then.
     */
    Scheduled schedule(long delayMillis, LoopTask task);

    /** See {@link #schedule}. */
    interface Scheduled {
        /** Neither method of the task is called any more; nothing happens if one was. On the loop. */
        void cancel();
    }

    @Nullable
    SegmentInfo info(long segment);

    @Nullable
    SegmentRider rider(long segment);

    /** Creates a segment. {@code attributes} is borrowed and kept with the segment for ever: keep it under 64 KiB. */
    void create(long segment, byte kind, ByteBuf attributes, Durable done);

    /**
     * Sequences {@code data} at the segment's end and applies it to the rider.
     *
     * @param data borrowed: copied into the open frame before this returns. 1 B to {@link #maxAppendBytes}
     * @return the position at which it stands
     * @throws IllegalArgumentException on an empty or oversized append
     * @throws IllegalStateException on a segment that is unknown or sealed: ask {@link #info} first
     */
    long append(long segment, ByteBuf data, Durable done);

    /**
     * Appends bytes that go straight to long-term storage and never into the log: for what is made from what is there already. As slow
     * as that storage. A segment is written either like this or by {@link #append}; its rider sees its length only. One at a
     * time for a segment.
     *
     * @param data taken over, 1 B to {@link #MOST_STORED_BYTES}
     * @param done told when the bytes are stored and a part of the segment
     * @throws IllegalStateException on a segment that is unknown, sealed, stored to at this moment, or not all in long-term storage
     */
    void store(long segment, ByteBuf data, Durable done);

    /** Sequences a note for the segment's rider (see {@link SegmentRider#applyNote}); {@code note} is borrowed, up to 1 MiB. */
    void note(long segment, ByteBuf note, Durable done);

    /** Calls {@code done} once everything sequenced before is durable; writes nothing. */
    void barrier(Durable done);

    /** Told when no failure takes back what was acknowledged so far: at once, or of a log that acknowledges before when it is synced. */
    default void whenSynced(Durable done) {
        if (mayLoseAcknowledged()) {
            barrier(done);
        } else {
            done.durable();
        }
    }

    /** Moves the start of the segment up to {@code position}; lower ones are a no-op. */
    void truncate(long segment, long position, Durable done);

    void seal(long segment, Durable done);

    /** Deletes the segment: its rider is closed at once, its space comes back in the background. */
    void delete(long segment, Durable done);

    /**
     * Reads at {@code position}. From the cache the reply comes before this returns; from long-term storage later. At the
     * durable end, or below the start, the reply is {@link StoreFailure.OutOfRange}.
     */
    void read(long segment, long position, int maxBytes, ReadReply reply);

    /** As {@link #read}, for a caller to whom {@link #readCached} has just given null: the cache is not asked again. */
    void readUncached(long segment, long position, int maxBytes, ReadReply reply);

    /**
     * Pinned bytes of {@code [position, position + maxBytes)} if they start in the cache, else null. May be shorter. Never
     * copies; the caller releases.
     */
    @Nullable
    ByteBuf readCached(long segment, long position, int maxBytes);

    /** Bytes one append may have. */
    int maxAppendBytes();
}
