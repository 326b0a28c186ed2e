package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.WalException;
import java.util.Arrays;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One write to the log, and who is told when it is durable. Reused with its buffer, so a record costs no object here.
 *
 * <p>Used on the loop; the log calls back on any thread, and all that does is queue the frame for the loop.
 */
final class Frame implements LedgerWriter.Callback {
    final ByteBuf bytes;
    private final Queue<Frame> answered;
    private final Runnable wake;

    /** Parallel: a segment that grew (or null), the length it grew to, and who waits for that. */
    private @Nullable OpenSegment[] segments = new @Nullable OpenSegment[64];

    private long[] lengths = new long[64];
    private Durable[] waiters = new Durable[64];
    private int count;

    /** Sequence of the last operation that ends in this frame, or in one before it. */
    long lastSequence;

    /** Null unless the flight recorder wants it. */
    @Nullable
    LogWriteEvent event;

    long openedAt;
    long sentAt;

    /** The log has answered; the loop's own mark. */
    boolean done;

    /** Where it goes, and the space it takes there. */
    @Nullable
    LedgerWriter writer;

    LogSpace.@Nullable Ledger ledger;

    /** Written by the log before the frame is queued, read by the loop after. */
    @Nullable
    WalException failure;

    Frame(ByteBuf bytes, Queue<Frame> answered, Runnable wake) {
        this.bytes = bytes;
        this.answered = answered;
        this.wake = wake;
    }

    void add(@Nullable OpenSegment segment, long length, Durable waiter) {
        if (count == waiters.length) {
            segments = Arrays.copyOf(segments, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
            waiters = Arrays.copyOf(waiters, count * 2);
        }
        segments[count] = segment;
        lengths[count] = length;
        waiters[count++] = waiter;
    }

    int count() {
        return count;
    }

    @Nullable
    OpenSegment segment(int entry) {
        return segments[entry];
    }

    long length(int entry) {
        return lengths[entry];
    }

    Durable waiter(int entry) {
        return waiters[entry];
    }

    void fail(StoreFailure why) {
        for (int i = 0; i < count; i++) {
            Durable waiter = waiters[i];
            TermEnd.step("tell a writer", () -> waiter.failed(why));
        }
        forgetWaiters();
    }

    /** Keeps no segment or waiter alive. */
    void forgetWaiters() {
        Arrays.fill(segments, 0, count, null);
        Arrays.fill(waiters, 0, count, Durable.IGNORED);
        count = 0;
    }

    void reset(long now, @Nullable LogWriteEvent recorded) {
        bytes.clear();
        event = recorded;
        openedAt = now;
        done = false;
        failure = null;
    }

    @Override
    public void durable() {
        if (event != null) {
            event.answered();
        }
        answered.add(this);
        wake.run();
    }

    @Override
    public void failed(WalException why) {
        failure = why;
        answered.add(this);
        wake.run();
    }
}
