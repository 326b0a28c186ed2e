package io.sluice.transactions;

import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes markers into partitions: those of this process by itself, those of group offsets by the groups' own coordinator, the others
 * through the nodes that serve them.
 */
final class PartitionMarkers implements Markers {
    private final TopicCatalogue topics;
    private final Partitions partitions;
    private final GroupTransactions groups;
    private final RemoteTransactions remote;

    PartitionMarkers(
            TopicCatalogue topics, Partitions partitions, GroupTransactions groups, RemoteTransactions remote) {
        this.topics = topics;
        this.partitions = partitions;
        this.groups = groups;
        this.remote = remote;
    }

    @Override
    public void write(Participant partition, Marker marker, Consumer<Fate> done) {
        TopicName name = nameOf(partition);
        if (name == null) {
            done.accept(Fate.NOT_NEEDED);
            return;
        }
        Topic topic = topics.find(name);
        if (topic == null || partition.partition() >= topic.partitions().size()) {
            writeToUnknown(name, partition, done);
            return;
        }
        PartitionLog log = partitions.find(topic, partition.partition());
        if (log == null) {
            remote.mark(partition, topic.partitions().get(partition.partition()), marker, done);
        } else {
            write(log, partition, marker, done);
        }
    }

    /** Another node may have made the partition a moment ago: only what the store does not have is gone. */
    private void writeToUnknown(TopicName name, Participant partition, Consumer<Fate> done) {
        topics.isStored(name, partition.partition())
                .whenComplete(
                        (stored, failure) -> done.accept(failure == null && !stored ? Fate.NOT_NEEDED : Fate.UNKNOWN));
    }

    /** See {@link LocalTransactions#mark}. */
    void writeHere(LocalTransactions.Place place, Marker marker, Consumer<Fate> done) {
        PartitionLog log = find(place);
        if (log == null) {
            done.accept(Fate.UNKNOWN);
        } else {
            write(log, place.partition(), marker, done);
        }
    }

    private @Nullable PartitionLog find(LocalTransactions.Place place) {
        Participant partition = place.partition();
        TopicName name = nameOf(partition);
        Topic topic = name == null ? null : topics.find(name);
        if (topic == null
                || partition.partition() >= topic.partitions().size()
                || topic.partitions().get(partition.partition()).segment() != place.segment()) {
            return null;
        }
        PartitionLog log = partitions.find(topic, partition.partition());
        return log != null && log.container().term() == place.term() ? log : null;
    }

    private static @Nullable TopicName nameOf(Participant partition) {
        try {
            return partition.topicName();
        } catch (TopicException e) {
            return null;
        }
    }

    private void write(PartitionLog log, Participant partition, Marker marker, Consumer<Fate> done) {
        if (partition.topic().equals(groups.topic())) {
            groups.end(partition.partition(), marker, done);
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
        log.subscriptions()
                .endTransaction(
                        subscription, marker.producer().id(), marker.coordinatorEpoch(), marker.commit(), noted);
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
