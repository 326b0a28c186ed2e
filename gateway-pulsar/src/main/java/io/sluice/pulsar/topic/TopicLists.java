package io.sluice.pulsar.topic;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Topics as Pulsar lists them. */
public final class TopicLists {
    private TopicLists() {}

    /** Non-partitioned topics and the partitions of partitioned ones, sorted by topic. */
    public static List<String> ofNamespace(TopicCatalogue catalogue, String tenant, String namespace) {
        List<String> names = new ArrayList<>();
        in(catalogue, tenant, namespace).forEach(t -> names.addAll(partitionNames(t)));
        return names;
    }

    /** Partitioned topics by their own name. */
    public static List<String> partitioned(TopicCatalogue catalogue, String tenant, String namespace) {
        return in(catalogue, tenant, namespace)
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

    private static Stream<Topic> in(TopicCatalogue catalogue, String tenant, String namespace) {
        Predicate<Topic> internal = Topic::internal;
        return catalogue.all().stream()
                .filter(internal.negate())
                .filter(t ->
                        t.name().tenant().equals(tenant) && t.name().namespace().equals(namespace))
                .sorted((a, b) -> a.name().local().compareTo(b.name().local()));
    }
}
