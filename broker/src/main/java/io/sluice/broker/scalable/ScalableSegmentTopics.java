package io.sluice.broker.scalable;

import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionEnd;
import io.sluice.broker.topic.step.PartitionSubscriptionNames;
import io.sluice.broker.topic.step.SubscribePartition;
import java.io.IOException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Operations on the topics and partitions that are scalable segments. Blocks; every step may be repeated. */
class ScalableSegmentTopics {
    private static final Logger LOG = LoggerFactory.getLogger(ScalableSegmentTopics.class);

    private final ScalableSegmentPlaces places;

    ScalableSegmentTopics(ScalableSegmentPlaces places) {
        this.places = places;
    }

    void make(TopicName segment) throws TopicException {
        places.make(segment);
    }

    /** A scalable segment's topic, or a classic topic. */
    void delete(TopicName topic, ScalableSegmentPlaces.Check still) throws TopicException, IOException {
        places.delete(topic, still);
    }

    boolean has(Parsed segment) throws TopicException {
        return places.has(segment);
    }

    /** Whether the scalable segment was terminated; false if it is not there. Waits for a termination that is under way. */
    boolean isTerminated(Parsed segment) throws TopicException {
        return places.has(segment) && places.ask(segment, PartitionEnd.IS_TERMINATED);
    }

    /**
     * Whether there is nothing in it, durably and for ever: it was terminated, and retention, which leaves what a subscription has not
     * acknowledged, has taken all. One that is not there has nothing.
     */
    boolean isSpent(Parsed segment) throws TopicException {
        return !places.has(segment) || places.ask(segment, PartitionEnd.IS_SPENT);
    }

    void terminate(Parsed segment) throws TopicException {
        places.ask(segment, PartitionEnd.TERMINATE);
    }

    /** The durable subscriptions with their properties. */
    Map<String, Map<String, String>> subscriptions(Parsed segment) throws TopicException {
        return places.ask(segment, new PartitionSubscriptionNames());
    }

    /**
     * Lets all of them begin at the start of the scalable segment; those that are there stay where they are. That it takes them was asked
     * before its parents were sealed; of a change that an older server began it was not, and now it can only be said.
     */
    void subscribe(Parsed segment, Map<String, Map<String, String>> subscriptions) throws TopicException {
        if (subscriptions.isEmpty()) {
            return;
        }
        places.ask(segment, new SubscribePartition(subscriptions, SubscriptionStart.FIRST))
                .forEach((name, refused) -> LOG.error(
                        "{} does not get the subscription {} of what it continues: {}",
                        PulsarNames.text(segment),
                        name,
                        refused));
    }

    /**
     * Lets a subscription begin where {@code start} says, unless it is there; waits until it is durable.
     *
     * @throws TopicException INVALID_SETTING if the scalable segment takes no such subscription
     */
    void subscribe(Parsed segment, String name, Map<String, String> properties, SubscriptionStart start)
            throws TopicException {
        Map<String, String> refused = places.ask(segment, new SubscribePartition(Map.of(name, properties), start));
        String why = refused.get(name);
        if (why != null) {
            throw new TopicException(Reason.INVALID_SETTING, why);
        }
    }
}
