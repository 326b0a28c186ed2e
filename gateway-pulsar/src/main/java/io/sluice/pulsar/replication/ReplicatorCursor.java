package io.sluice.pulsar.replication;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A replicator's place in its partition: a durable subscription that no client has. Any thread, but for what says otherwise. */
final class ReplicatorCursor {
    private final PartitionLog log;
    private final String name;
    private final AtomicLong wanted = new AtomicLong();
    private final AtomicBoolean moving = new AtomicBoolean();

    ReplicatorCursor(PartitionLog log, String cluster) {
        this.log = log;
        this.name = Subscriptions.ofReplicator(cluster);
    }

    /**
     * Makes it, unless it is there; answers once it is durable.
     *
     * @param fromStart whether one that is made begins with the first message there is, not with the next
     */
    CompletableFuture<Boolean> open(boolean fromStart) {
        return log.container().ask((Answer<Boolean> answer) -> {
            if (log.subscriptions().find(name) != null) {
                answer.complete(true);
                return;
            }
            String full = log.subscriptions().whyNot(name, Map.of());
            if (full != null) {
                answer.fail(new StoreFailure.Overloaded(full));
                return;
            }
            long start = fromStart ? log.startOffset() : log.readableEnd(Isolation.COMMITTED);
            log.subscriptions().create(name, start, Map.of(), answer.onceDurable(true));
        });
    }

    /** On the loop: the first offset from this one on that is still to be sent. */
    long next(long from) {
        Cursor cursor = log.subscriptions().find(name);
        return cursor == null ? -1 : cursor.nextUnacked(Math.max(from, cursor.ackedBelow()));
    }

    /** Moves it on to {@code end} soon, one past the last offset that is done with: one note of the log at a time. */
    void advance(long end) {
        wanted.accumulateAndGet(end, Math::max);
        move();
    }

    private void move() {
        if (moving.compareAndSet(false, true)) {
            log.container().execute(LoopTask.of(this::moveOnLoop));
        }
    }

    private void moveOnLoop() {
        Cursor cursor = log.subscriptions().find(name);
        long end = wanted.get();
        if (cursor == null || cursor.ackedBelow() >= end) {
            moved(end);
        } else {
            cursor.ackUpTo(end - 1, Durable.of(() -> moved(end)));
        }
    }

    private void moved(long end) {
        moving.set(false);
        if (wanted.get() > end) {
            move();
        }
    }

    /** On the loop: messages that are not in the other cluster yet. */
    long backlog() {
        Cursor cursor = log.subscriptions().find(name);
        return cursor == null ? 0 : Subscription.backlog(log, cursor);
    }

    /** Forgets it: what it held back may be trimmed. */
    void delete() {
        log.container().execute(LoopTask.of(() -> {
            if (log.subscriptions().find(name) != null) {
                log.subscriptions().delete(name, Durable.IGNORED);
            }
        }));
    }

    /** Completes when there is something to read from {@code offset} on. */
    static final class Tail implements PartitionLog.TailWaiter {
        private final PartitionLog log;
        private final CompletableFuture<Void> more = new CompletableFuture<>();
        private PartitionLog.@Nullable Waiting waiting;

        Tail(PartitionLog log) {
            this.log = log;
        }

        CompletableFuture<Void> await(long offset) {
            log.container()
                    .execute(LoopTask.of(
                            () -> {
                                if (log.readableEnd(Isolation.COMMITTED) > offset) {
                                    more.complete(null);
                                } else {
                                    waiting = log.await(offset, Isolation.COMMITTED, this);
                                }
                            },
                            this::closed));
            return more;
        }

        /** Waits no more. */
        void cancel() {
            if (!more.isDone()) {
                log.container().execute(LoopTask.of(() -> {
                    if (waiting != null) {
                        waiting.cancel();
                    }
                }));
            }
        }

        @Override
        public void moreToRead() {
            more.complete(null);
        }

        @Override
        public void closed(StoreFailure why) {
            more.completeExceptionally(new StoreException(why));
        }
    }
}
