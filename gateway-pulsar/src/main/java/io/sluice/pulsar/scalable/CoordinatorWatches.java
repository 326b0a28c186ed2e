package io.sluice.pulsar.scalable;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.topic.TopicAccess;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Clients that watch where the transaction coordinators are: partitions of a topic, each with its owner. Any thread. */
public final class CoordinatorWatches implements AutoCloseable {
    private final TopicCatalogue catalogue;
    private final Cluster cluster;
    private final TopicCatalogue.ChangeListener topicListener;
    private final Runnable clusterListener = this::changed;
    private final Set<ClientWatch> all = ConcurrentHashMap.newKeySet();

    /** @param topic its partitions are the coordinators */
    public CoordinatorWatches(TopicCatalogue catalogue, Cluster cluster, TopicName topic) {
        this.catalogue = catalogue;
        this.cluster = cluster;
        this.topicListener = (name, now) -> {
            if (name.equals(topic)) {
                changed();
            }
        };
        catalogue.onChange(topicListener);
        cluster.onChange(clusterListener);
    }

    private void changed() {
        all.forEach(ClientWatch::changed);
    }

    /** @param tell as that of {@link LayoutWatches#add}; there may be nothing new */
    public ClientWatch add(Runnable tell) {
        ClientWatch watch = new ClientWatch(TopicAccess.COORDINATORS, tell, all::remove);
        all.add(watch);
        return watch;
    }

    public int size() {
        return all.size();
    }

    @Override
    public void close() {
        catalogue.offChange(topicListener);
        cluster.offChange(clusterListener);
    }
}
