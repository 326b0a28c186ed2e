package io.sluice.pulsar.replication;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Entries of one partition on their way to another cluster, in their order: what is behind the last one of which all before it have arrived
 * is where the cursor may be. Its bounds are its own, and a share of all replicators' {@link SendBudget}. Any thread.
 */
final class InFlight {
    private final int mostEntries;
    private final long mostBytes;
    private final SendBudget budget;
    private final LongConsumer arrived;
    /** Completes when an entry cannot be sent, exceptionally. */
    private final CompletableFuture<Void> failure = new CompletableFuture<>();

    private final Deque<Way> ways = new ArrayDeque<>();
    private long bytes;
    private boolean closed;

    /** One entry, or a gap of what is not sent. */
    private static final class Way {
        /** One past its last offset. */
        private final long end;

        private final int bytes;
        private final long publishTime;
        private boolean done;

        Way(long end, int bytes, long publishTime) {
            this.end = end;
            this.bytes = bytes;
            this.publishTime = publishTime;
        }
    }

    /** @param arrived told an offset below which nothing has to be sent any more; rises */
    InFlight(int mostEntries, long mostBytes, SendBudget budget, LongConsumer arrived) {
        this.mostEntries = mostEntries;
        this.mostBytes = mostBytes;
        this.budget = budget;
        this.arrived = arrived;
    }

    /** Completes exceptionally when an entry could not be sent. */
    CompletableFuture<Void> failure() {
        return failure;
    }

    /** Waits until another entry may be sent, or one has failed. */
    synchronized void awaitRoom() throws InterruptedException {
        while (!failure.isDone() && (ways.size() >= mostEntries || bytes >= mostBytes)) {
            wait();
        }
    }

    /**
     * An entry is sent, for which the budget has room.
     *
     * @param end one past its last offset
     * @return to be told when it has arrived, or why not
     */
    synchronized RemoteProducer.Sent sends(long end, int size, long publishTime) {
        Way way = new Way(end, size, publishTime);
        ways.add(way);
        bytes += size;
        return why -> done(way, why);
    }

    /** Leaves out all below {@code end} that is behind what was sent before. */
    void passes(long end) {
        synchronized (this) {
            Way last = ways.peekLast();
            if (last != null && last.end >= end) {
                return;
            }
            Way gap = new Way(end, 0, 0);
            gap.done = true;
            ways.add(gap);
        }
        advance();
    }

    private void done(Way way, @Nullable Throwable why) {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (why != null) {
                failure.completeExceptionally(why);
                notifyAll();
                return;
            }
            way.done = true;
        }
        advance();
    }

    private void advance() {
        long end = -1;
        long freed = 0;
        synchronized (this) {
            for (Way first = ways.peek(); first != null && first.done && !closed; first = ways.peek()) {
                ways.remove();
                end = first.end;
                freed += first.bytes;
            }
            bytes -= freed;
            notifyAll();
        }
        if (freed > 0) {
            budget.give(freed);
        }
        if (end >= 0) {
            arrived.accept(end);
        }
    }

    /** When the oldest entry under way was published, in milliseconds since the epoch; -1 if none is. */
    synchronized long oldestPublished() {
        return ways.stream()
                .filter(w -> !w.done)
                .mapToLong(w -> w.publishTime)
                .findFirst()
                .orElse(-1);
    }

    /** Forgets what is under way. */
    void close() {
        long freed;
        synchronized (this) {
            closed = true;
            freed = bytes;
            bytes = 0;
            ways.clear();
            notifyAll();
        }
        budget.give(freed);
    }
}
