package io.sluice.pulsar.hub;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledges what durable subscriptions of a partition have not acknowledged of the messages before the first one that is young enough, in
 * the order of the log: also what consumers hold, who may acknowledge it once more. Pulsar's own subscription for compaction is left alone.
 */
public final class ExpireMessages {
    private ExpireMessages() {}

    /**
     * Any thread; true once that is durable, false if there is no such subscription.
     *
     * @param subscription null for all
     * @param millis age that a message must have
     */
    public static CompletableFuture<Boolean> in(
            Hubs hubs, PartitionLog log, @Nullable String subscription, long millis) {
        return log.container().<Boolean>ask(answer -> {
            if (subscription != null && log.subscriptions().find(subscription) == null) {
                answer.complete(false);
                return;
            }
            older(hubs, log, subscription, millis, answer);
        });
    }

    /** As {@link #in} for all subscriptions; on the loop. */
    static void all(Hubs hubs, PartitionLog log, long millis, Answer<Boolean> answer) {
        older(hubs, log, null, millis, answer);
    }

    /** As {@link #before} for all subscriptions; on the loop. */
    static void allBefore(Hubs hubs, PartitionLog log, long end, Answer<Boolean> answer) {
        passOver(hubs, log, null, end, false, answer);
    }

    private static void older(
            Hubs hubs, PartitionLog log, @Nullable String subscription, long millis, Answer<Boolean> answer) {
        log.offsetAtTime(log.container().now() - millis, new PartitionLog.TimeReply() {
            @Override
            public void found(PartitionLog.OffsetAndTime young) {
                long end = young.offset() < 0 ? log.readableEnd(Isolation.COMMITTED) : young.offset();
                passOver(hubs, log, subscription, end, true, answer);
            }

            @Override
            public void failed(StoreFailure why) {
                answer.fail(why);
            }
        });
    }

    /**
     * Any thread; true once that is durable, false if there is no such subscription.
     *
     * @param end one past the last offset that goes
     */
    public static CompletableFuture<Boolean> before(Hubs hubs, PartitionLog log, String subscription, long end) {
        return log.container().<Boolean>ask(answer -> {
            if (log.subscriptions().find(subscription) == null) {
                answer.complete(false);
            } else {
                passOver(hubs, log, subscription, end, true, answer);
            }
        });
    }

    /** @param expired whether stats say that they have expired */
    private static void passOver(
            Hubs hubs,
            PartitionLog log,
            @Nullable String subscription,
            long end,
            boolean expired,
            Answer<Boolean> answer) {
        long until = Math.min(end, log.readableEnd(Isolation.COMMITTED));
        PartitionHub hub = hubs.find(log);
        for (Cursor cursor : List.copyOf(log.subscriptions().all())) {
            boolean meant = subscription == null
                    ? !cursor.name().equals(Subscriptions.COMPACTION)
                    : cursor.name().equals(subscription);
            if (meant) {
                long before = cursor.acked();
                passOver(hub, cursor, until);
                if (expired && hub != null && !Subscriptions.isReplicator(cursor.name())) {
                    hub.subscriptions().expired(cursor.name(), cursor.acked() - before);
                }
            }
        }
        log.container().barrier(answer.onceDurable(true));
    }

    private static void passOver(@Nullable PartitionHub hub, Cursor cursor, long until) {
        if (cursor.ackedBelow() >= until) {
            return;
        }
        Subscription connected = hub == null ? null : hub.subscriptions().connected(cursor.name());
        if (connected != null && connected.isDurable()) {
            connected.passOver(until);
        } else {
            cursor.ackUpTo(until - 1, Durable.IGNORED);
        }
    }
}
