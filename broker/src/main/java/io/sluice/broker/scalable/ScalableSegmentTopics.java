package io.sluice.broker.scalable;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
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
    void delete(TopicName topic) throws TopicException {
        places.delete(topic);
    }

    boolean has(Parsed segment) {
        return places.has(segment);
    }

    /** Whether the scalable segment was terminated; false if it is not there. Waits for a termination that is under way. */
    boolean isTerminated(Parsed segment) throws TopicException {
        return places.has(segment)
                && places.<Boolean>ask(
                        segment,
                        (log, answer) -> log.container()
                                .barrier(Durable.of(() -> answer.complete(log.isTerminated()), answer::fail)));
    }

    /**
     * Whether there is nothing in it, durably and for ever: it was terminated, and retention, which leaves what a subscription has not
     * acknowledged, has taken all. One that is not there has nothing.
     */
    boolean isSpent(Parsed segment) throws TopicException {
        return !places.has(segment)
                || places.<Boolean>ask(segment, (log, answer) -> {
                    boolean spent = log.isTerminated() && log.startOffset() == log.sequencedEnd();
                    if (spent) {
                        log.container().barrier(answer.onceDurable(true));
                    } else {
                        answer.complete(false);
                    }
                });
    }

    void terminate(Parsed segment) throws TopicException {
        places.<Boolean>ask(segment, (log, answer) -> log.createIfMissing().terminate(answer.onceDurable(true)));
    }

    /** The durable subscriptions with their properties. */
    Map<String, Map<String, String>> subscriptions(Parsed segment) throws TopicException {
        return places.ask(segment, (log, answer) -> {
            Map<String, Map<String, String>> found = new HashMap<>();
            for (Cursor cursor : log.subscriptions().all()) {
                found.put(cursor.name(), cursor.properties());
            }
            answer.complete(found);
        });
    }

    /**
     * Lets all of them begin at the start of the scalable segment; those that are there stay where they are. That it takes them was asked
     * before its parents were sealed; of a change that an older server began it was not, and now it can only be said.
     */
    void subscribe(Parsed segment, Map<String, Map<String, String>> subscriptions) throws TopicException {
        if (subscriptions.isEmpty()) {
            return;
        }
        places.<Boolean>ask(segment, (found, answer) -> {
            PartitionLog log = found.createIfMissing();
            subscriptions.forEach((name, properties) -> {
                String refused = log.subscriptions().whyNot(name, properties);
                if (refused != null) {
                    LOG.error(
                            "{} does not get the subscription {} of what it continues: {}",
                            PulsarNames.text(segment),
                            name,
                            refused);
                } else {
                    log.subscriptions().create(name, log.startOffset(), properties, Durable.IGNORED);
                }
            });
            log.container().barrier(answer.onceDurable(true));
        });
    }

    /**
     * Lets a subscription begin where {@code start} says, unless it is there; waits until it is durable.
     *
     * @throws TopicException INVALID_SETTING if the scalable segment takes no such subscription
     */
    void subscribe(Parsed segment, String name, Map<String, String> properties, ToLongFunction<PartitionLog> start)
            throws TopicException {
        String why = places.<String>ask(segment, (found, answer) -> {
            PartitionLog log = found.createIfMissing();
            String refused = log.subscriptions().whyNot(name, properties);
            if (refused != null) {
                answer.complete(refused);
                return;
            }
            if (log.subscriptions().find(name) == null) {
                log.subscriptions().create(name, start.applyAsLong(log), properties, Durable.IGNORED);
            }
            log.container().barrier(answer.onceDurable(""));
        });
        if (!why.isEmpty()) {
            throw new TopicException(Reason.INVALID_SETTING, why);
        }
    }
}
