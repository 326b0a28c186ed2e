package io.sluice.pulsar.admin;

import io.sluice.broker.access.Principal;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.topic.TopicLists;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.pulsar.common.policies.data.stats.NonPersistentTopicStatsImpl;
import org.apache.pulsar.common.policies.data.stats.TopicStatsImpl;

/** Stats of all topics, each partition one, that this node serves and somebody may see. Blocks. */
final class BrokerTopics {
    private final AdminTopics topics;
    private final Stats stats;

    BrokerTopics(AdminTopics topics) {
        this.topics = topics;
        this.stats = new Stats(topics);
    }

    /**
     * Topics of a namespace.
     *
     * @param persistent by their full names, as {@code live}
     */
    record OfNamespace(Map<String, TopicStatsImpl> persistent, Map<String, NonPersistentTopicStatsImpl> live) {
        OfNamespace() {
            this(new TreeMap<>(), new TreeMap<>());
        }

        List<TopicStatsImpl> all() {
            List<TopicStatsImpl> all = new ArrayList<>(persistent.values());
            all.addAll(live.values());
            return all;
        }
    }

    /** By {@code tenant/namespace}. */
    Map<String, OfNamespace> shownTo(Principal who) throws AdminException {
        Map<String, OfNamespace> all = new TreeMap<>();
        for (Topic topic : topics.services().topics().shownTo(who)) {
            for (int p = 0; p < topic.partitions().size(); p++) {
                add(all, topic, p, who);
            }
        }
        for (NonPersistentTopic live : topics.services().nonPersistent().all()) {
            Parsed name = live.name();
            if (topics.services().topics().shows(who, name.topic())) {
                of(all, name.topic().tenant(), name.topic().namespace())
                        .live
                        .put(PulsarNames.ofNonPersistent(name), NonPersistentStats.of(live, topics.brokerId()));
            }
        }
        return all;
    }

    private void add(Map<String, OfNamespace> all, Topic topic, int partition, Principal who) throws AdminException {
        PartitionLog log = topics.services().topics().log(topic, partition);
        if (log == null) {
            return;
        }
        int named = topic.partitioned() ? partition : -1;
        String name = TopicLists.nameOf(topic, named);
        try {
            var part = new AdminTopics.Part(topic, name, named, log);
            of(all, topic.name().tenant(), topic.name().namespace()).persistent.put(name, stats.of(part, who));
        } catch (AdminException e) {
            if (!e.isMoved() && e.status() < 500) {
                throw e;
            }
            // it has left this node meanwhile
        }
    }

    private static OfNamespace of(Map<String, OfNamespace> all, String tenant, String namespace) {
        return all.computeIfAbsent(tenant + "/" + namespace, key -> new OfNamespace());
    }
}
