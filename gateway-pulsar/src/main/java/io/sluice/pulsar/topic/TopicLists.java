package io.sluice.pulsar.topic;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Topics as Pulsar lists them. */
public final class TopicLists {
    private TopicLists() {}

    /** Non-partitioned topics and the partitions of partitioned ones. */
    public static List<String> ofNamespace(List<Topic> topics) {
        List<String> names = new ArrayList<>();
        topics.forEach(t -> names.addAll(partitionNames(t)));
        return names;
    }

    /** Partitioned topics by their own name. */
    public static List<String> partitioned(List<Topic> topics) {
        return topics.stream()
                .filter(Topic::partitioned)
                .map(t -> t.name().toString())
                .toList();
    }

    /** The names under which a topic's data can be used. */
    public static List<String> partitionNames(Topic topic) {
        if (!topic.partitioned()) {
            return List.of(topic.name().toString());
        }
        List<String> names = new ArrayList<>(topic.partitions().size());
        for (int p = 0; p < topic.partitions().size(); p++) {
            names.add(PulsarNames.ofPartition(topic.name(), p));
        }
        return names;
    }

    /** @param partition -1 for a non-partitioned topic */
    public static String nameOf(Topic topic, int partition) {
        return nameOf(topic.name(), partition);
    }

    /** @param partition -1 for a non-partitioned topic */
    public static String nameOf(TopicName topic, int partition) {
        return partition < 0 ? topic.toString() : PulsarNames.ofPartition(topic, partition);
    }

    /** Whether clients see it in lists. */
    static boolean isShown(Topic topic) {
        return !topic.internal() && !topic.name().isSegment();
    }

    public static List<Topic> in(TopicCatalogue catalogue, String tenant, String namespace) {
        return catalogue.withShadows().stream()
                .filter(t -> isShown(t)
                        && t.name().tenant().equals(tenant)
                        && t.name().namespace().equals(namespace))
                .sorted(Comparator.comparing(t -> t.name().local()))
                .toList();
    }
}
