package io.sluice.transactions;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes markers into the partitions of this process; those of group offsets by the groups' own coordinator. */
final class PartitionMarkers implements Markers {
    private final TopicCatalogue topics;
    private final Partitions partitions;
    private final GroupTransactions groups;

    PartitionMarkers(TopicCatalogue topics, Partitions partitions, GroupTransactions groups) {
        this.topics = topics;
        this.partitions = partitions;
        this.groups = groups;
    }

    @Override
    public void write(Participant partition, Marker marker, Consumer<Fate> done) {
        if (partition.topic().equals(groups.topic())) {
            groups.end(partition.partition(), marker, done);
            return;
        }
        Topic topic = find(partition);
        if (topic == null || partition.partition() >= topic.partitions().size()) {
            done.accept(Fate.NOT_NEEDED);
            return;
        }
        PartitionLog log = partitions.find(topic, partition.partition());
        if (log == null) {
            done.accept(Fate.UNKNOWN);
        } else if (partition.subscription() != null) {
            log.container().execute(new SubscriptionEnd(log, partition.subscription(), marker, done));
        } else {
            log.container().executeAppend(new Append(log, marker, done));
        }
    }

    private @Nullable Topic find(Participant partition) {
        try {
            return topics.find(partition.topicName());
        } catch (TopicException e) {
            return null;
        }
    }

    /** In a subscription a marker is a note, which acknowledges what is pending there, or lets it go. */
    private record SubscriptionEnd(PartitionLog log, String subscription, Marker marker, Consumer<Fate> done)
            implements LoopTask, Durable {
        @Override
        public void run() {
            Cursor cursor = log.subscriptions().find(subscription);
            if (log.isGone()) {
                done.accept(Fate.UNKNOWN);
            } else if (cursor == null) {
                done.accept(Fate.NOT_NEEDED);
            } else {
                cursor.endTransaction(marker.producer().id(), marker.commit(), this);
            }
        }

        @Override
        public void abandoned(StoreFailure why) {
            failed(why);
        }

        @Override
        public void durable() {
            done.accept(Fate.WRITTEN);
        }

        @Override
        public void failed(StoreFailure why) {
            done.accept(why instanceof StoreFailure.NoSuchSegment ? Fate.NOT_NEEDED : Fate.UNKNOWN);
        }
    }

    private record Append(PartitionLog log, Marker marker, Consumer<Fate> done)
            implements LoopTask, AppendReply, Durable {
        @Override
        public void run() {
            if (!log.isGone()
                    && log.isTerminated()
                    && log.transactions().openFrom(marker.producer().id()) < 0) {
                // Nothing of it is here, nor will be. A marker would reopen the backlog of subscriptions that have it
                // all.
                log.container().barrier(this);
                return;
            }
            log.append(
                    EndMarker.entry(
                            PooledByteBufAllocator.DEFAULT,
                            marker.producer().id(),
                            marker.producer().epoch(),
                            marker.coordinatorEpoch(),
                            marker.commit(),
                            log.container().now()),
                    this);
        }

        @Override
        public void abandoned(StoreFailure why) {
            failed(why);
        }

        /** What ended it here, if it was here, is durable. */
        @Override
        public void durable() {
            done.accept(Fate.NOT_NEEDED);
        }

        @Override
        public void appended(long baseOffset, long lastOffset) {
            done.accept(Fate.WRITTEN);
        }

        @Override
        public void duplicate(long baseOffset, long lastOffset) {
            done.accept(Fate.WRITTEN);
        }

        @Override
        public void rejected(AppendRejection why) {
            done.accept(Fate.NOT_NEEDED);
        }

        @Override
        public void failed(StoreFailure why) {
            boolean gone = why instanceof StoreFailure.NoSuchSegment;
            done.accept(gone ? Fate.NOT_NEEDED : Fate.UNKNOWN);
        }
    }
}
