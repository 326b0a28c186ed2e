package io.sluice.pulsar.scalable;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Who watches where the transaction coordinators are: partitions of a topic, each with its owner. Any thread. */
public final class CoordinatorWatches {
    private final Set<Watch> all = ConcurrentHashMap.newKeySet();

    /** @param topic its partitions are the coordinators */
    public CoordinatorWatches(TopicCatalogue catalogue, Cluster cluster, TopicName topic) {
        catalogue.onChange((name, now) -> {
            if (name.equals(topic)) {
                changed();
            }
        });
        cluster.onChange(this::changed);
    }

    private void changed() {
        all.forEach(Watch::changed);
    }

    /** @param tell as that of {@link LayoutWatches#add}; there may be nothing new */
    public Watch add(Runnable tell) {
        Watch watch = new Watch(tell, all::remove);
        all.add(watch);
        return watch;
    }

    public int size() {
        return all.size();
    }
}
