package io.sluice.pulsar.connection;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicSeen;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.transactions.Participant;

/** A consumer as its connection sees it. Event loop only, but for what says otherwise. */
public final class ClientConsumer {
    private final Consumer consumer;
    private final TopicSeen topic;
    private final Participant participant;
    private final Subscription subscription;
    private final VerifiedTransactions transactions = new VerifiedTransactions();

    /** @param participant what transactions know the subscription by */
    public ClientConsumer(Consumer consumer, Subscription subscription, TopicSeen topic, Participant participant) {
        this.consumer = consumer;
        this.subscription = subscription;
        this.topic = topic;
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

    /** Transactions in which it may acknowledge. Container's loop only. */
    public VerifiedTransactions transactions() {
        return transactions;
    }

    public Consumer consumer() {
        return consumer;
    }

    public PartitionLog log() {
        return subscription.log();
    }

    public String subscriptionName() {
        return subscription.name();
    }

    /** Subscription that the consumer has joined; it may have left it since ({@link Consumer#isSubscribed}). */
    public Subscription subscription() {
        return subscription;
    }
}
