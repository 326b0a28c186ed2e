package io.sluice.broker.topic;

import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicStore.Stored;
import io.sluice.broker.topic.step.AtShadow;
import io.sluice.broker.topic.step.ForgetSubscriptions;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * Shadow topics: a record that names the source, and subscriptions in the source's partitions. Where the source has gone meanwhile, the record
 * is that of no topic, and gives way to whoever wants the name. Blocking; under the topic's lock.
 */
final class ShadowTopics {
    private final TopicStore store;
    private final ShownTopics shown;
    private final GrowthSubscriptions subscriptions;

    ShadowTopics(TopicStore store, ShownTopics shown, GrowthSubscriptions subscriptions) {
        this.store = store;
        this.shown = shown;
        this.subscriptions = subscriptions;
    }

    /** @throws TopicException INVALID_SETTING the topic cannot be a source */
    static void checkSource(Topic source) throws TopicException {
        if (source.internal() || source.name().isSegment() || source.isShadow()) {
            throw new TopicException(
                    Reason.INVALID_SETTING,
                    "topic " + source.name()
                            + " cannot have shadow topics: it is the server's own, of a scalable topic,"
                            + " or a shadow topic itself");
        }
    }

    /** Stores and shows a new one, as it is shown. */
    Topic create(Topic shadow) throws TopicException, IOException {
        Stored done = store.put(TopicRecord.of(shadow), Metadata.ABSENT);
        shown.show(done);
        shown.changed(shadow.name(), shadow);
        Topic now = shown.withPartitions(shadow);
        if (now == null) {
            throw new TopicException(Reason.NOT_FOUND, "the source of topic " + shadow.name() + " was deleted");
        }
        return now;
    }

    /** Whether it is a shadow topic whose source is not there. */
    boolean isLost(Topic topic) {
        return topic.isShadow() && shown.withPartitions(topic) == null;
    }

    /** Deletes the subscriptions of a shadow topic, if its source is there: they have gone with it otherwise. */
    void forget(Topic topic) throws TopicException {
        UUID id = topic.shadowSource();
        Topic source = id == null ? null : shown.find(id);
        if (source != null) {
            subscriptions.ask(source, 0, new AtShadow<>(topic.id(), new ForgetSubscriptions()));
        }
    }

    /** @throws TopicException HAS_SHADOWS the topic has shadow topics, which are to be deleted first */
    void requireNone(Topic topic) throws TopicException {
        List<TopicName> shadows = shown.shadowsOf(topic.id());
        if (!shadows.isEmpty()) {
            throw new TopicException(
                    Reason.HAS_SHADOWS,
                    "Delete forbidden. Topic " + topic.name() + " is replicated to shadow topics: delete those first,"
                            + " such as " + shadows.getFirst());
        }
    }
}
