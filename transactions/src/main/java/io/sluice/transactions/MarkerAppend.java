package io.sluice.transactions;

import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;

/**
 * Appends a marker to a partition, in its turn among the container's appends, and tells what became of it once no failure takes that
 * back: a log that defers the disk's sync acknowledges before.
 */
public final class MarkerAppend implements LoopTask, AppendReply {
    private final PartitionLog log;
    private final Marker marker;
    private final Reply reply;

    /** Exactly one method is called, once, on the container's loop, or before {@link #start} returns; none blocks. */
    public interface Reply {
        /** @param entry false if there is none: the partition takes no more messages, and has none of the transaction */
        void ended(boolean entry);

        /** A newer producer or coordinator has written there. */
        void rejected(AppendRejection why);

        /** It may or may not be there. */
        void failed(StoreFailure why);
    }

    private MarkerAppend(PartitionLog log, Marker marker, Reply reply) {
        this.log = log;
        this.marker = marker;
        this.reply = reply;
    }

    /** Any thread; does not block. */
    public static void start(PartitionLog log, Marker marker, Reply reply) {
        log.container().executeAppend(new MarkerAppend(log, marker, reply));
    }

    @Override
    public void run() {
        if (!log.isGone()
                && log.isTerminated()
                && log.transactions().openFrom(marker.producer().id()) < 0) {
            // A marker would reopen the backlog of subscriptions that have it all.
            log.container().barrier(then(() -> reply.ended(false)));
            return;
        }
        log.append(marker.entry(log.container().now()), this);
    }

    @Override
    public void abandoned(StoreFailure why) {
        reply.failed(why);
    }

    @Override
    public void appended(long baseOffset, long lastOffset) {
        log.container().whenSynced(then(() -> reply.ended(true)));
    }

    @Override
    public void duplicate(long baseOffset, long lastOffset) {
        appended(baseOffset, lastOffset);
    }

    /** By what is sequenced, and so may be in flight. */
    @Override
    public void rejected(AppendRejection why) {
        log.container().barrier(then(() -> reply.rejected(why)));
    }

    @Override
    public void failed(StoreFailure why) {
        reply.failed(why);
    }

    private Durable then(Runnable told) {
        return Durable.of(told, reply::failed);
    }
}
