package io.sluice.broker.group;

import io.sluice.broker.topic.TopicName;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Port: the consumer groups that read a topic, whichever nodes coordinate them. Any thread; does not block. A future fails with a
 * {@code StoreException}: {@code NotOwner} while a coordinator is not there, or has not loaded its groups.
 */
public interface TopicGroups {
    /** Where there are no groups. */
    TopicGroups NONE = new TopicGroups() {
        @Override
        public CompletableFuture<List<TopicGroup>> of(TopicName topic) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<Outcome> move(TopicName topic, String group, Map<Integer, Long> offsets) {
            return CompletableFuture.completedFuture(Outcome.MISSING);
        }

        @Override
        public CompletableFuture<Outcome> forget(TopicName topic, String group, Set<Integer> partitions) {
            return CompletableFuture.completedFuture(Outcome.MISSING);
        }
    };

    /** Results of a change. */
    enum Outcome {
        DONE,
        /** There is no such group. */
        MISSING,
        /** The group has members that read: only they change its offsets. */
        IN_USE,
        /** The coordinator refused for another reason. */
        REFUSED
    }

    /** Groups that {@linkplain TopicGroup#reads() read} the topic, at most 1,000 of each node, in no order. */
    CompletableFuture<List<TopicGroup>> of(TopicName topic);

    /**
     * Commits offsets of a group, which is made if it is not there.
     *
     * @param offsets by partition of the topic
     */
    CompletableFuture<Outcome> move(TopicName topic, String group, Map<Integer, Long> offsets);

    /** Deletes the group's offsets of partitions of the topic. */
    CompletableFuture<Outcome> forget(TopicName topic, String group, Set<Integer> partitions);
}
