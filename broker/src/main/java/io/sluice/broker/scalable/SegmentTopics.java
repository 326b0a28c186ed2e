package io.sluice.broker.scalable;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.scalable.SegmentPlaces.Answer;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** What is done with the topics that stand for segments. Blocks; every step may be repeated. */
class SegmentTopics {
    private final SegmentPlaces places;

    SegmentTopics(SegmentPlaces places) {
        this.places = places;
    }

    void make(TopicName segment) throws TopicException {
        places.make(segment);
    }

    void delete(TopicName segment) throws TopicException {
        places.delete(segment);
    }

    /** Whether the segment was terminated; false if it is not there. Waits for a termination that is under way. */
    boolean isTerminated(TopicName segment) throws TopicException {
        return places.has(segment)
                && places.<Boolean>ask(
                        segment, (log, answer) -> log.container().barrier(told(answer, log::isTerminated)));
    }

    void terminate(TopicName segment) throws TopicException {
        places.<Boolean>ask(segment, (log, answer) -> log.made().terminate(told(answer, () -> true)));
    }

    /** The durable subscriptions with their properties. */
    Map<String, Map<String, String>> subscriptions(TopicName segment) throws TopicException {
        return places.ask(segment, (log, answer) -> {
            Map<String, Map<String, String>> found = new HashMap<>();
            for (Cursor cursor : log.subscriptions().all()) {
                found.put(cursor.name(), cursor.properties());
            }
            answer.accept(found, null);
        });
    }

    /** Lets all of them begin at the start of the segment; those that are there stay where they are. */
    void subscribe(TopicName segment, Map<String, Map<String, String>> subscriptions) throws TopicException {
        if (subscriptions.isEmpty()) {
            return;
        }
        places.<Boolean>ask(segment, (found, answer) -> {
            PartitionLog log = found.made();
            subscriptions.forEach((name, properties) -> {
                if (log.subscriptions().whyNot(name, properties) == null) {
                    log.subscriptions().create(name, log.startOffset(), properties, Durable.IGNORED);
                }
            });
            log.container().barrier(told(answer, () -> true));
        });
    }

    private static Durable told(Answer<Boolean> answer, Supplier<Boolean> what) {
        return new Durable() {
            @Override
            public void durable() {
                answer.accept(what.get(), null);
            }

            @Override
            public void failed(StoreFailure why) {
                answer.accept(null, why);
            }
        };
    }
}
