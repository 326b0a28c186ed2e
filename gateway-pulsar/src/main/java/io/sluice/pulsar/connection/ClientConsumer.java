package io.sluice.pulsar.connection;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicSeen;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.transactions.Participant;
import org.jspecify.annotations.Nullable;

/** A consumer as its connection sees it. Event loop only. */
public final class ClientConsumer {
    private final Consumer consumer;
    private final PartitionLog log;
    private final TopicSeen topic;
    private final String subscriptionName;
    private final Participant participant;
    private @Nullable Subscription subscription;

    /** @param participant what transactions know the subscription by */
    public ClientConsumer(
            Consumer consumer, PartitionLog log, TopicSeen topic, String subscriptionName, Participant participant) {
        this.consumer = consumer;
        this.log = log;
        this.topic = topic;
        this.subscriptionName = subscriptionName;
        this.participant = participant;
    }

    /** Name of the partition. */
    public TopicName topic() {
        return topic.name();
    }

    /** The partition's topic when the consumer subscribed. */
    public TopicSeen topicSeen() {
        return topic;
    }

    public Participant participant() {
        return participant;
    }

    public Consumer consumer() {
        return consumer;
    }

    public PartitionLog log() {
        return log;
    }

    public String subscriptionName() {
        return subscriptionName;
    }

    /** Null until the subscription is there. */
    public @Nullable Subscription subscription() {
        return subscription;
    }

    public void subscribed(Subscription to) {
        subscription = to;
    }
}
