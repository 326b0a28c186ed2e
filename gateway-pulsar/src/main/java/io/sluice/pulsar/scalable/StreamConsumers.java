package io.sluice.pulsar.scalable;

import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scalable.ScalableTopicListener;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.scalable.Controllers.Controller;
import io.sluice.pulsar.scalable.StreamSubscription.Key;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Consumers that read scalable topics in order, by subscription: each is told which segments are its own. Those of a topic are at one node,
 * its controller; when another one becomes that, they are told to register there. Any thread.
 */
public final class StreamConsumers implements ScalableTopicListener, AutoCloseable {
    private final ScalableTopics topics;
    private final SegmentLooks looks;
    private final Controllers controllers;
    private final Duration grace;
    private final Map<Key, StreamSubscription> byKey = new ConcurrentHashMap<>();

    /** @param grace for a consumer whose connection is gone */
    public StreamConsumers(ScalableTopics topics, SegmentLooks looks, Controllers controllers, Duration grace) {
        this.topics = topics;
        this.looks = looks;
        this.controllers = controllers;
        this.grace = grace;
        topics.onChange(this);
        controllers.onChange(this::follow);
    }

    private void follow() {
        byKey.forEach((key, subscription) -> {
            if (controllers.of(key.topic()) instanceof Controller.Elsewhere) {
                subscription.move();
            }
        });
    }

    /** Has other nodes know what only this one can tell them. */
    public void answerOthers(PartitionSteps steps, Hubs hubs) {
        LookAtSegment.register(steps, hubs);
        AskStreamConsumers.register(steps, this);
    }

    /**
     * Registers a consumer at this node, which is the topic's controller. One of its name in the subscription is replaced, and what it had goes on here.
     *
     * @param tell is run on any thread whenever there is another {@link StreamMember#assignment}, the first included
     * @return null if the subscription has too many consumers
     */
    public @Nullable StreamMember join(TopicName topic, String subscription, String consumer, Runnable tell) {
        Key key = new Key(topic, subscription);
        while (true) {
            StreamSubscription home = byKey.computeIfAbsent(key, this::open);
            StreamMember member = new StreamMember(topic, subscription, consumer, tell, home::left);
            switch (home.join(member)) {
                case YES -> {
                    follow(); // it may have become another node's meanwhile
                    return member;
                }
                case FULL -> {
                    return null;
                }
                case ENDED -> byKey.remove(key, home);
            }
        }
    }

    /** Tells the topic's controller that a subscription was moved to other messages. */
    public CompletableFuture<Integer> moved(TopicName topic, String subscription) {
        return controllers.ask(topic, new AskStreamConsumers(topic, subscription, true, this));
    }

    /** Asks the topic's controller how many consumers a subscription has, those in their grace among them. */
    public CompletableFuture<Integer> count(TopicName topic, String subscription) {
        return controllers.ask(topic, new AskStreamConsumers(topic, subscription, false, this));
    }

    void lookAgain(TopicName topic, String subscription) {
        StreamSubscription there = byKey.get(new Key(topic, subscription));
        if (there != null) {
            there.lookAgain();
        }
    }

    int countHere(TopicName topic, String subscription) {
        StreamSubscription there = byKey.get(new Key(topic, subscription));
        return there == null ? 0 : there.size();
    }

    private StreamSubscription open(Key key) {
        StreamSubscription made =
                new StreamSubscription(key, new StreamSubscription.Surroundings(() -> find(key), looks, grace));
        Thread.ofVirtual()
                .name("stream of " + key.topic() + ", " + key.subscription())
                .start(() -> {
                    made.run();
                    byKey.remove(key, made);
                });
        return made;
    }

    private @Nullable ScalableTopic find(Key key) {
        return topics.find(key.topic());
    }

    @Override
    public void changed(TopicName name, @Nullable ScalableTopic now) {
        byKey.forEach((key, subscription) -> {
            if (key.topic().equals(name)) {
                subscription.kick();
            }
        });
    }

    @Override
    public void close() {
        topics.offChange(this);
        controllers.close();
        byKey.values().forEach(StreamSubscription::end);
    }
}
