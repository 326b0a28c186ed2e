package io.sluice.pulsar.connection;

import io.netty.util.collection.LongObjectHashMap;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.scalable.ClientWatch;
import io.sluice.pulsar.scalable.StreamMember;
import io.sluice.pulsar.scalable.TopicListWatches;
import io.sluice.pulsar.topic.TopicAccess;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Everything that a client has opened on its connection, by the ids that it chose, and what is remembered of it. Event loop only. */
public final class Attachments {
    private final Outbound out;
    private final LongObjectHashMap<ClientProducer> producers = new LongObjectHashMap<>(4);
    private final LongObjectHashMap<ClientConsumer> consumers = new LongObjectHashMap<>(4);
    private final LongObjectHashMap<Long> producersToCome = new LongObjectHashMap<>(4);
    private final LongObjectHashMap<Long> consumersToCome = new LongObjectHashMap<>(4);
    private final Set<Long> consumersGivenUp = new HashSet<>();
    private final FinalRefusals finalRefusals = new FinalRefusals();
    private final LateAcks lateAcks = new LateAcks();
    private final CountedConsumers counted;
    private final NonPersistentClients nonPersistent;
    private final ClusterWaits waits;
    private final LeavingProducers leavingProducers;
    private final LongObjectHashMap<ClientWatch> layoutWatches = new LongObjectHashMap<>(1);
    private final LongObjectHashMap<ClientWatch> coordinatorWatches = new LongObjectHashMap<>(1);
    private final LongObjectHashMap<TopicListWatches.Watch> topicListWatches = new LongObjectHashMap<>(1);
    private final LongObjectHashMap<StreamMember> streamMembers = new LongObjectHashMap<>(1);

    Attachments(Outbound out, CountedConsumers counted, ClusterWaits waits, NewPlaces places, Redirects redirects) {
        this.out = out;
        this.counted = counted;
        this.waits = waits;
        this.nonPersistent = new NonPersistentClients(out, counted, redirects);
        this.leavingProducers = new LeavingProducers(waits, out, places, redirects);
    }

    public LongObjectHashMap<ClientProducer> producers() {
        return producers;
    }

    public LongObjectHashMap<ClientConsumer> consumers() {
        return consumers;
    }

    /** Producers and consumers of topics that are not kept. */
    public NonPersistentClients nonPersistent() {
        return nonPersistent;
    }

    /** Request ids of producers being created, by producer id. */
    public LongObjectHashMap<Long> producersToCome() {
        return producersToCome;
    }

    /**
     * Begins to subscribe a consumer.
     *
     * @return why not; null if it has begun
     */
    @Nullable
    String beginConsumer(long consumerId, long requestId) {
        String full = counted.open(consumerId);
        if (full == null) {
            consumersToCome.put(consumerId, (Long) requestId);
        }
        return full;
    }

    /** The consumer that was begun has not come to be, or was given up meanwhile. */
    public void endConsumer(long consumerId) {
        counted.close(consumerId);
    }

    /** Takes a consumer away; null if there is none of the id. */
    public @Nullable ClientConsumer removeConsumer(long consumerId) {
        ClientConsumer gone = consumers.remove(consumerId);
        if (gone != null) {
            counted.close(consumerId);
        }
        return gone;
    }

    /** Request ids of consumers being subscribed, by consumer id. */
    public LongObjectHashMap<Long> consumersToCome() {
        return consumersToCome;
    }

    /** Ids of consumers that were closed while they were being subscribed, until that has come to its end. */
    public Set<Long> consumersGivenUp() {
        return consumersGivenUp;
    }

    public FinalRefusals finalRefusals() {
        return finalRefusals;
    }

    /** Acknowledgements for consumers whose partitions have moved away. */
    public LateAcks lateAcks() {
        return lateAcks;
    }

    /** Answers that wait until it is known which node serves something. */
    public ClusterWaits waits() {
        return waits;
    }

    /** Producers whose clients are about to be told that their partitions are elsewhere. */
    public LeavingProducers leavingProducers() {
        return leavingProducers;
    }

    /** Watches of scalable topics' layouts, by the client's session id. */
    public LongObjectHashMap<ClientWatch> layoutWatches() {
        return layoutWatches;
    }

    /** Watches of the transaction coordinators' places, by the client's id. */
    public LongObjectHashMap<ClientWatch> coordinatorWatches() {
        return coordinatorWatches;
    }

    /** Watches of the topics of namespaces, by the client's id. */
    public LongObjectHashMap<TopicListWatches.Watch> topicListWatches() {
        return topicListWatches;
    }

    /** Stream consumers of scalable topics, by the client's id of them. */
    public LongObjectHashMap<StreamMember> streamMembers() {
        return streamMembers;
    }

    /** Whether the principal may still write with all producers, read with all consumers and see what it watches. */
    boolean isAllowed(Principal who, TopicAccess topics) {
        for (ClientProducer each : producers.values()) {
            if (!topics.allows(who, Operation.WRITE, each.topic())) {
                return false;
            }
        }
        for (ClientConsumer each : consumers.values()) {
            if (!mayRead(who, topics, each.topic(), each.subscriptionName())) {
                return false;
            }
        }
        for (StreamMember each : streamMembers.values()) {
            if (!mayRead(who, topics, each.topic(), each.subscription())) {
                return false;
            }
        }
        for (TopicListWatches.Watch each : topicListWatches.values()) {
            if (!topics.allowsOnNamespace(who, Operation.DESCRIBE, each.tenant(), each.namespace())) {
                return false;
            }
        }
        if (!nonPersistent.areAllowed(
                topic -> topics.allows(who, Operation.WRITE, topic),
                (topic, subscription) -> mayRead(who, topics, topic, subscription))) {
            return false;
        }
        return maySee(layoutWatches, who, topics) && maySee(coordinatorWatches, who, topics);
    }

    private static boolean mayRead(Principal who, TopicAccess topics, TopicName topic, String subscription) {
        return topics.allows(who, Operation.READ, topic) && topics.allowsSubscription(who, topic, subscription);
    }

    private static boolean maySee(LongObjectHashMap<ClientWatch> watches, Principal who, TopicAccess topics) {
        return watches.values().stream().allMatch(each -> topics.allows(who, Operation.DESCRIBE, each.topic()));
    }

    /** Takes the consumer off its subscription; {@code done} runs on the event loop afterwards. */
    public void detach(ClientConsumer c, @Nullable Runnable done) {
        c.log().container().execute(new DetachTask(out, done, c.consumer()::leave));
    }

    /** The connection is gone; its producers were detached before ({@code Publishing.detachAll}). */
    void close() {
        for (ClientConsumer c : new ArrayList<>(consumers.values())) {
            detach(c, null);
        }
        nonPersistent.close();
        producers.clear();
        consumers.clear();
        producersToCome.clear();
        consumersToCome.clear();
        consumersGivenUp.clear();
        counted.closeAll();
        waits.close();
        layoutWatches.values().forEach(ClientWatch::close);
        layoutWatches.clear();
        coordinatorWatches.values().forEach(ClientWatch::close);
        coordinatorWatches.clear();
        topicListWatches.values().forEach(TopicListWatches.Watch::close);
        topicListWatches.clear();
        streamMembers.values().forEach(StreamMember::close);
        streamMembers.clear();
    }
}
