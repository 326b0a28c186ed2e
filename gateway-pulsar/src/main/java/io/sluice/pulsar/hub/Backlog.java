package io.sluice.pulsar.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition's backlog: messages from the first one on that its slowest durable subscription has not acknowledged. Sizes come from the index
 * of offsets, and whether it is older than a limit from that of times, without reading. Pulsar's own subscription for compaction does not count. Loop only.
 *
 * @param slowest null without a subscription
 */
public record Backlog(PartitionLog log, @Nullable Cursor slowest) {
    /** Part of a quota that eviction leaves: as Pulsar. */
    private static final double LEFT = 0.9;

    public static Backlog of(PartitionLog log) {
        Cursor slowest = null;
        for (Cursor cursor : log.subscriptions().all()) {
            if (!cursor.name().equals(Subscriptions.COMPACTION)
                    && (slowest == null || cursor.ackedBelow() < slowest.ackedBelow())) {
                slowest = cursor;
            }
        }
        return new Backlog(log, slowest);
    }

    private long start(Cursor cursor) {
        return Math.max(cursor.ackedBelow(), log.startOffset());
    }

    public long bytes() {
        return slowest == null ? 0 : log.bytesAfter(start(slowest));
    }

    /** Offset of the oldest message that the slowest subscription has not acknowledged; -1 if it has acknowledged all. */
    public long oldest() {
        if (slowest == null) {
            return -1;
        }
        long at = slowest.nextUnacked(start(slowest));
        return at < log.readableEnd(Isolation.COMMITTED) ? at : -1;
    }

    /**
     * Looks whether its oldest message is older than this.
     *
     * @param reply on the loop; no if that cannot be found out now
     */
    public void isOlderThan(int seconds, Consumer<Boolean> reply) {
        long oldest = oldest();
        if (oldest < 0) {
            reply.accept(false);
            return;
        }
        long before = log.container().now() - TimeUnit.SECONDS.toMillis(seconds);
        log.offsetAtTime(before, new PartitionLog.TimeReply() {
            @Override
            public void found(PartitionLog.OffsetAndTime young) {
                reply.accept(young.offset() < 0 || oldest < young.offset());
            }

            @Override
            public void failed(StoreFailure why) {
                reply.accept(false);
            }
        });
    }

    /**
     * The oldest message, as Pulsar shows it.
     *
     * @param ageSeconds -1 where there is none, or it cannot be read now
     * @param subscription that has not acknowledged it; null where there is none
     */
    public record Oldest(long ageSeconds, @Nullable String subscription) {
        static final Oldest NONE = new Oldest(-1, null);
    }

    /**
     * Reads the oldest message for its time.
     *
     * @param reply on the loop
     */
    public void findOldest(Consumer<Oldest> reply) {
        long oldest = oldest();
        if (slowest == null || oldest < 0) {
            reply.accept(Oldest.NONE);
            return;
        }
        String subscription = slowest.name();
        findTime(log, oldest, written -> {
            long age = Math.max(0, log.container().now() - written);
            reply.accept(written < 0 ? Oldest.NONE : new Oldest(TimeUnit.MILLISECONDS.toSeconds(age), subscription));
        });
    }

    /**
     * Reads a message for the time when it was published.
     *
     * @param reply on the loop; -1 where there is none at this offset or behind it, or it cannot be read now
     */
    public static void findTime(PartitionLog log, long offset, LongConsumer reply) {
        log.read(offset, 1, Isolation.COMMITTED, new EntriesReply() {
            @Override
            public void entries(Entries entries) {
                ByteBuf bytes = entries.bytes();
                long written = EntryHeader.maxTimestamp(bytes, bytes.readerIndex());
                bytes.release();
                reply.accept(written);
            }

            @Override
            public void atEnd() {
                reply.accept(-1);
            }

            @Override
            public void outOfRange(long startOffset, long endOffset) {
                reply.accept(-1);
            }

            @Override
            public void failed(StoreFailure why) {
                reply.accept(-1);
            }
        });
    }

    /** Acknowledges the oldest messages, in all subscriptions, until nine tenths of this size are left. */
    public void evictTo(long size, Hubs hubs, Answer<Boolean> answer) {
        if (slowest == null) {
            answer.complete(false);
            return;
        }
        long most = (long) (size * LEFT);
        long low = start(slowest);
        long high = log.durableEnd();
        while (low < high) {
            long middle = low + (high - low) / 2;
            if (log.bytesAfter(middle) > most) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        ExpireMessages.allBefore(hubs, log, low, answer);
    }

    /** Acknowledges messages that are older than nine tenths of this, in all subscriptions. */
    public void evictOlder(int seconds, Hubs hubs, Answer<Boolean> answer) {
        ExpireMessages.all(hubs, log, (long) (TimeUnit.SECONDS.toMillis(seconds) * LEFT), answer);
    }
}
