package io.sluice.broker.topic;

import io.netty.buffer.Unpooled;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.container.DeleteSegments;
import io.sluice.broker.container.MissingSegments;
import io.sluice.broker.container.StepGuard;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.topic.step.AtPartition;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Topics that are known here as they are, though watches of the metadata may be late: partitions are made on use for these only. Another
 * node that deletes a topic, or gives its partitions other places, writes that into the topic's record <em>before</em> it asks the container
 * of a partition. So a record that was read since the container was asked last, and since its term began here, says what holds:
 *
 * <pre>
 *   another node        record: is deleted ──► container: delete segments ──► here: nothing is current
 *   here                first write ──► not current: refused, record is read ──► the topic is gone, or current
 * </pre>
 *
 * <p>A node that is the only one has no such thing: {@link #ALL}. Any thread.
 */
public class CurrentTopics implements StepGuard {
    /** All topics are current in a process that makes all changes itself. */
    static final CurrentTopics ALL =
            new CurrentTopics(new Source() {
                @Override
                public CompletableFuture<Boolean> isSettled(TopicName name, UUID id) {
                    return CompletableFuture.completedFuture(true);
                }

                @Override
                public @Nullable Topic find(UUID id) {
                    return null;
                }
            }) {
                @Override
                boolean has(SegmentContainer container, TopicName name, UUID id) {
                    return true;
                }
            };

    private final Source source;
    /** By container, of its present term. */
    private final Map<Integer, Reads> reads = new ConcurrentHashMap<>();

    /** The topics of this node. */
    interface Source {
        /** Reads the record from the store, and shows what it says: whether the name is still this topic's, with no change under way. */
        CompletableFuture<Boolean> isSettled(TopicName name, UUID id);

        /** As it is shown. */
        @Nullable
        Topic find(UUID id);
    }

    CurrentTopics(Source source) {
        this.source = source;
    }

    /** @param owners who change topics: where no other can, all topics are current */
    public static CurrentTopics of(StoredTopicCatalogue catalogue, ChangeOwners owners) {
        if (owners.self() == null) {
            return ALL;
        }
        return new CurrentTopics(new Source() {
            @Override
            public CompletableFuture<Boolean> isSettled(TopicName name, UUID id) {
                return catalogue.isSettled(name, id);
            }

            @Override
            public @Nullable Topic find(UUID id) {
                return catalogue.find(id);
            }
        });
    }

    /** Reads since a term began, or since another node has asked for a change in it; whether they have ended, by topic. */
    private record Reads(SegmentContainer container, Map<UUID, Boolean> ended) {
        Reads(SegmentContainer container) {
            this(container, new ConcurrentHashMap<>());
        }
    }

    /** Whether the topic is known as it is. If not, its record is being read from now on. */
    boolean has(SegmentContainer container, TopicName name, UUID id) {
        Reads now = readsOf(container);
        Boolean ended = now.ended.putIfAbsent(id, false);
        if (ended == null) {
            source.isSettled(name, id).whenComplete((settled, failed) -> {
                if (failed == null && settled) {
                    now.ended.put(id, true);
                } else {
                    now.ended.remove(id);
                }
            });
        }
        return Boolean.TRUE.equals(ended);
    }

    /** Reads of an earlier term are no longer of use. */
    private Reads readsOf(SegmentContainer container) {
        Reads found = reads.compute(
                container.id(),
                (id, there) ->
                        there == null || there.container.term() < container.term() ? new Reads(container) : there);
        return found.container == container ? found : new Reads(container);
    }

    @Override
    public @Nullable StoreFailure refusal(SegmentContainer container, ContainerStep<?> step) {
        if (step instanceof DeleteSegments
                || step instanceof MissingSegments asked && !asked.segments().isEmpty()) {
            reads.put(container.id(), new Reads(container));
        }
        return step instanceof AtPartition<?> at && at.wouldMake(container) ? refusalToMake(container, at) : null;
    }

    private @Nullable StoreFailure refusalToMake(SegmentContainer container, AtPartition<?> at) {
        PartitionAttributes its =
                PartitionAttributes.read(Unpooled.wrappedBuffer(at.segment().attributes()));
        if (!has(container, TopicName.parse(its.topic()), its.topicId())) {
            return new StoreFailure.NotOwner(
                    container.id(), "topic " + its.topic() + " is not known here as it is now");
        }
        return isAt(its.topicId(), its.partition(), at.segment().segment())
                ? null
                : new StoreFailure.NotOwner(
                        container.id(),
                        "partition " + its.partition() + " of " + its.topic() + " is not here any more");
    }

    /** Whether the topic is shown, with this place of the partition. */
    private boolean isAt(UUID id, int partition, long segment) {
        Topic topic = source.find(id);
        return topic != null
                && partition < topic.partitions().size()
                && topic.partitions().get(partition).segment() == segment;
    }
}
