package io.sluice.pulsar.scalable;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scalable.ScalableTopicListener;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Watches of layouts by topic: clients are told of other scalable segments, and of other nodes that serve them, whichever node changed
 * that. Any thread.
 */
public final class LayoutWatches implements ScalableTopicListener, AutoCloseable {
    private final ScalableTopics topics;
    private final TopicCatalogue catalogue;
    private final Cluster cluster;
    private final TopicCatalogue.ChangeListener placeListener = this::placed;
    private final Runnable clusterListener = this::ownersChanged;
    private final Map<TopicName, Set<ClientWatch>> byTopic = new ConcurrentHashMap<>();

    /** @param catalogue where scalable segments are */
    public LayoutWatches(ScalableTopics topics, TopicCatalogue catalogue, Cluster cluster) {
        this.topics = topics;
        this.catalogue = catalogue;
        this.cluster = cluster;
        topics.onChange(this);
        catalogue.onChange(placeListener);
        cluster.onChange(clusterListener);
    }

    /** @param tell is run on any thread when there is something new, until the watch is closed; not before it was told of that */
    public ClientWatch add(TopicName topic, Runnable tell) {
        ClientWatch watch = new ClientWatch(topic, tell, closed -> remove(topic, closed));
        byTopic.compute(topic, (name, there) -> {
            Set<ClientWatch> all = there == null ? ConcurrentHashMap.newKeySet() : there;
            all.add(watch);
            return all;
        });
        return watch;
    }

    private void remove(TopicName topic, ClientWatch watch) {
        byTopic.computeIfPresent(topic, (name, all) -> {
            all.remove(watch);
            return all.isEmpty() ? null : all;
        });
    }

    /** Topics that are watched. */
    public int size() {
        return byTopic.size();
    }

    @Override
    public void changed(TopicName name, @Nullable ScalableTopic now) {
        byTopic.getOrDefault(name, Set.of()).forEach(ClientWatch::changed);
    }

    /** A scalable segment is somewhere else, or is known here only now, though another node has told of it. */
    private void placed(TopicName name, @Nullable Topic now) {
        if (now == null || !name.isSegment() || !byTopic.containsKey(name.whole())) {
            return;
        }
        ScalableTopic topic = topics.find(name.whole());
        if (topic != null
                && topic.graph().active().stream()
                        .anyMatch(segment -> topic.segmentName(segment).equals(name))) {
            changed(name.whole(), topic);
        }
    }

    private void ownersChanged() {
        byTopic.values().forEach(all -> all.forEach(ClientWatch::changed));
    }

    @Override
    public void close() {
        topics.offChange(this);
        catalogue.offChange(placeListener);
        cluster.offChange(clusterListener);
    }
}
