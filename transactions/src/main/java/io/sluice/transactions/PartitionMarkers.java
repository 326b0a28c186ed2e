package io.sluice.transactions;

import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.PartitionLog;
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
        } else {
            write(log, partition.subscription(), marker, done);
        }
    }

    /** As {@link #write}, of a partition that is at hand, or of its subscription. */
    static void write(PartitionLog log, @Nullable String subscription, Marker marker, Consumer<Fate> done) {
        if (subscription != null) {
            log.container()
                    .execute(LoopTask.of(
                            () -> end(log, subscription, marker, done), why -> done.accept(ofFailure(why))));
        } else {
            MarkerAppend.start(log, marker, new Telling(done));
        }
    }

    private @Nullable Topic find(Participant partition) {
        try {
            return topics.find(partition.topicName());
        } catch (TopicException e) {
            return null;
        }
    }

    private static Fate ofFailure(StoreFailure why) {
        return why instanceof StoreFailure.NoSuchSegment ? Fate.NOT_NEEDED : Fate.UNKNOWN;
    }

    /** In a subscription a marker is a note, which acknowledges what is pending there, or lets it go. On the loop. */
    private static void end(PartitionLog log, String subscription, Marker marker, Consumer<Fate> done) {
        if (log.isGone()) {
            done.accept(Fate.UNKNOWN);
            return;
        }
        // Acknowledged; a log that defers the sync may still lose it.
        Durable synced = Durable.of(() -> done.accept(Fate.WRITTEN), why -> done.accept(Fate.UNKNOWN));
        Durable noted = Durable.of(() -> log.container().whenSynced(synced), why -> done.accept(ofFailure(why)));
        log.subscriptions().endTransaction(subscription, marker.producer().id(), marker.commit(), noted);
    }

    private record Telling(Consumer<Fate> done) implements MarkerAppend.Reply {
        @Override
        public void ended(boolean entry) {
            done.accept(entry ? Fate.WRITTEN : Fate.NOT_NEEDED);
        }

        @Override
        public void rejected(AppendRejection why) {
            done.accept(Fate.NOT_NEEDED);
        }

        @Override
        public void failed(StoreFailure why) {
            done.accept(ofFailure(why));
        }
    }
}
