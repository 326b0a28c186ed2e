package io.sluice.broker.topic;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All topics of both protocols under one name space. Reads are answered from memory on any thread; changes go to the
 * metadata store first and complete on a virtual thread, with a {@link TopicException} when they are refused.
 */
public interface TopicCatalogue {
    @Nullable
    Topic find(TopicName name);

    @Nullable
    Topic find(UUID id);

    /**
     * Whether the topic has this partition, asked of the metadata store: another node may have made it a moment ago. Complete on a virtual
     * thread; fails where the store cannot be asked.
     */
    CompletableFuture<Boolean> isStored(TopicName name, int partition);

    /**
     * The topic as it is stored now, which {@link #find} shows from then on: for a name that is not found, since another node may have just
     * made the topic. Those who ask for one name at the same time share an answer; when too many names are asked for, what is shown is the
     * answer. Fails with a {@link TopicException} UNAVAILABLE.
     */
    CompletableFuture<@Nullable Topic> read(TopicName name);

    /**
     * Has {@link #all} show the topics of a namespace that are stored now: another node may have just made one, or deleted it. Those who ask for one
     * namespace at the same time share an answer. Complete on a virtual thread; fails with a {@link TopicException} UNAVAILABLE.
     */
    CompletableFuture<Void> readNamespace(String tenant, String namespace);

    /** A snapshot of the topics with partitions of their own; internal topics included, and shadow topics not. */
    Collection<Topic> all();

    /** As {@link #all}, and the shadow topics with the partitions of their sources. */
    default Collection<Topic> withShadows() {
        return all();
    }

    /** Names of the shadow topics of a topic. */
    default List<TopicName> shadowsOf(UUID source) {
        return List.of();
    }

    /** Levels of durability of namespaces. */
    NamespaceDurability namespaces();

    /** Rises with every change of any topic or namespace; lets callers cache what they derive. */
    long version();

    /**
     * Creates the topic and its segments; complete means durable and ready for appends.
     *
     * @param partitions 1 to 10,000; must be 1 if not {@code partitioned}
     * @param internal a topic of the system, which alone may have a {@linkplain KafkaNames#isReserved reserved} name
     */
    CompletableFuture<Topic> create(
            TopicName name, int partitions, boolean partitioned, boolean internal, Map<String, String> settings);

    /**
     * Creates a shadow topic: it has the messages of its source, in as many partitions, and subscriptions of its own.
     *
     * @param settings of the shadow topic
     */
    CompletableFuture<Topic> createShadow(TopicName name, Topic source, Map<String, String> settings);

    /** Finds or creates; concurrent calls for one name give one topic. One that is internal is found as internal only. */
    default CompletableFuture<Topic> getOrCreate(
            TopicName name, int partitions, boolean partitioned, boolean internal) {
        return getOrCreate(name, partitions, partitioned, internal, Map.of());
    }

    /** @param settings of a topic that is created */
    CompletableFuture<Topic> getOrCreate(
            TopicName name, int partitions, boolean partitioned, boolean internal, Map<String, String> settings);

    /**
     * As {@link #getOrCreate}, for a client that is connected to some node.
     *
     * @param near containers that the partitions of a topic that is created are in, where there are any such of its level of durability
     */
    CompletableFuture<Topic> getOrCreateNear(TopicName name, int partitions, boolean partitioned, IntPredicate near);

    /** Containers for a topic of this name that is created without settings of its own; none if they are still to be made. */
    List<Integer> containersFor(TopicName name);

    /**
     * Adds partitions up to {@code total}; fewer than there are is refused. The new ones have the durable subscriptions of the others, from
     * their beginning.
     */
    CompletableFuture<Topic> expand(TopicName name, int total);

    /** Subscriptions of topics that get more partitions. */
    TopicGrowth growth();

    /** Replaces the explicit settings. */
    CompletableFuture<Topic> configure(TopicName name, Map<String, String> settings);

    /**
     * Lets a partition go on in another container. Its clients are told once to look it up again; offsets, message ids,
     * producers' sequences, subscriptions and all that was written stay as they are. To where it is already: nothing happens.
     */
    CompletableFuture<Topic> move(TopicName name, int partition, int container);

    /** Deletes the topic, but not one that has shadow topics: HAS_SHADOWS. Its partitions' logs are closed, clients get the retriable or not-found error of their protocol. */
    CompletableFuture<Void> delete(TopicName name);

    /** As {@link #delete(TopicName)}; NOT_FOUND where the name is another topic's by now. */
    CompletableFuture<Void> delete(TopicName name, UUID id);

    /**
     * As {@link #delete(TopicName, UUID)}, if the condition still holds while no other change of the topic is under way; else false.
     *
     * @param condition may block, and may be asked more than once
     */
    CompletableFuture<Boolean> deleteIf(TopicName name, UUID id, Predicate<Topic> condition);

    /** Called on an unspecified thread after each change: topic created, changed (same name) or deleted ({@code now} null). */
    void onChange(ChangeListener listener);

    /** The listener is not called any more, but for a change that is being told. */
    void offChange(ChangeListener listener);

    /** See {@link #onChange}. */
    interface ChangeListener {
        void changed(TopicName name, @Nullable Topic now);
    }
}
