package io.sluice.pulsar.scalable;

import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scalable.ScalableTopicListener;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.topic.TopicName;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Watches of layouts by topic. Any thread. */
public final class LayoutWatches implements ScalableTopicListener, AutoCloseable {
    private final ScalableTopics topics;
    private final Map<TopicName, Set<ClientWatch>> byTopic = new ConcurrentHashMap<>();

    public LayoutWatches(ScalableTopics topics) {
        this.topics = topics;
        topics.onChange(this);
    }

    /** @param tell is run on any thread when there is something new, until the watch is closed; not before it was told of that */
    public ClientWatch add(TopicName topic, Runnable tell) {
        ClientWatch watch = new ClientWatch(tell, closed -> remove(topic, closed));
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

    @Override
    public void close() {
        topics.offChange(this);
    }
}
