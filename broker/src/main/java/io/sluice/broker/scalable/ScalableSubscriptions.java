package io.sluice.broker.scalable;

import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Durable subscriptions of scalable topics: a cursor in each scalable segment. One is made while its topic does not change: a split or a
 * merge has either found it, or is over and the successors are known. Any thread.
 */
public final class ScalableSubscriptions {
    private final ScalableTopics topics;
    private final ScalableSegmentTopics segments;

    ScalableSubscriptions(ScalableTopics topics, ScalableSegmentTopics segments) {
        this.topics = topics;
        this.segments = segments;
    }

    /**
     * Makes a subscription of one scalable segment, named by its place, unless it is there. Whoever asks may have an old view of the topic:
     * of a sealed scalable segment the active ones with its keys get the subscription, too, and first. So whatever is sent once this is
     * done is in it, also if it begins behind what is there.
     *
     * @param start where it begins; on the loop of the partition
     */
    public CompletableFuture<Void> create(
            Parsed segment, String name, Map<String, String> properties, SubscriptionStart start) {
        return topics.unchanged(segment.topic().whole(), topic -> {
            ScalableSegment wanted = find(topic, segment);
            if (!wanted.isActive()) {
                for (ScalableSegment active : topic.graph().active()) {
                    if (active.range().overlaps(wanted.range())) {
                        segments.subscribe(topic.place(active), name, properties, start);
                    }
                }
            }
            segments.subscribe(topic.place(wanted), name, properties, start);
            return null;
        });
    }

    /** Makes a subscription of a topic, at the start of each active scalable segment, as Pulsar does; where it is it stays as it is. */
    public CompletableFuture<Void> create(TopicName topic, String name) {
        return topics.unchanged(topic, found -> {
            for (ScalableSegment active : found.graph().active()) {
                segments.subscribe(found.place(active), name, Map.of(), SubscriptionStart.FIRST);
            }
            return null;
        });
    }

    /** Does something while a topic does not change; it may block. Fails with NOT_FOUND if there is no such topic. */
    public <T> CompletableFuture<T> whileUnchanged(TopicName topic, Function<ScalableTopic, T> work) {
        return topics.unchanged(topic, work::apply);
    }

    private static ScalableSegment find(ScalableTopic topic, Parsed segment) throws TopicException {
        for (ScalableSegment s : topic.graph().all()) {
            if (topic.place(s).equals(segment)) {
                return s;
            }
        }
        throw new TopicException(
                Reason.NOT_FOUND,
                PulsarNames.text(segment) + " is no segment of " + PulsarNames.ofScalable(topic.name()) + " now");
    }
}
