package io.sluice.pulsar.admin;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.dispatch.HubView;
import io.sluice.pulsar.dispatch.PartitionHub;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** From the names in requests to topics and their logs, with the errors the admin client expects. */
final class AdminTopics {
    private final GatewayServices services;
    private final Partitions partitions;

    AdminTopics(GatewayServices services, Partitions partitions) {
        this.services = services;
        this.partitions = partitions;
    }

    GatewayServices services() {
        return services;
    }

    /** How brokers are named: host and port of their HTTP. */
    String brokerId() {
        return services.config().httpUrl().replaceFirst("^https?://", "");
    }

    /** A partition's log with its full name. */
    record Part(Topic topic, String name, int partition, PartitionLog log) {}

    Topic topic(PulsarNames.Parsed name) throws AdminException {
        Topic topic = services.topics().visible(name.topic());
        if (topic == null) {
            throw notFound(name);
        }
        return topic;
    }

    private static AdminException notFound(PulsarNames.Parsed name) {
        return new AdminException(404, "Topic " + TopicAccess.text(name) + " not found");
    }

    /** The one partition the name stands for. */
    Part part(PulsarNames.Parsed name) throws AdminException {
        return part(name, 404);
    }

    /** @param ifPartitioned status of the refusal where the name stands for several */
    Part part(PulsarNames.Parsed name, int ifPartitioned) throws AdminException {
        return switch (services.topics().find(name)) {
            case Found.Missing m -> throw notFound(name);
            case Found.Partitioned p ->
                throw new AdminException(
                        ifPartitioned, "Topic " + p.topic().name() + " is partitioned: name a partition");
            case Found.Partition p -> part(p.topic(), p.partition());
        };
    }

    /** Makes the topic, as clients make it by using it, if there is none of that name and that is allowed. */
    void createIfMissing(PulsarNames.Parsed name) throws AdminException {
        if (!(services.topics().find(name) instanceof Found.Missing)) {
            return;
        }
        if (!services.topics().createsTopics() || name.partition() >= 0) {
            throw new AdminException(412, "Topic does not exist and cannot be auto-created");
        }
        int n = services.topics().defaultPartitions();
        LoopCalls.await(services.catalogue().getOrCreate(name.topic(), Math.max(1, n), n > 0, false));
    }

    /** Every partition the name stands for. */
    List<Part> parts(PulsarNames.Parsed name) throws AdminException {
        return switch (services.topics().find(name)) {
            case Found.Missing m -> throw notFound(name);
            case Found.Partition p -> List.of(part(p.topic(), p.partition()));
            case Found.Partitioned p -> all(p.topic());
        };
    }

    List<Part> all(Topic topic) throws AdminException {
        if (!topic.partitioned()) {
            return List.of(part(topic, -1));
        }
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < topic.partitions().size(); i++) {
            parts.add(part(topic, i));
        }
        return parts;
    }

    private Part part(Topic topic, int partition) throws AdminException {
        PartitionLog log = partitions.find(topic.partitions().get(Math.max(partition, 0)));
        if (log == null) {
            throw new AdminException(503, "Topic " + topic.name() + " is not served now");
        }
        String name = partition < 0 ? topic.name().toString() : PulsarNames.ofPartition(topic.name(), partition);
        return new Part(topic, name, partition, log);
    }

    /** Makes the connected producers of the topic follow what holds for duplicates now. */
    void deduplicate(Topic topic) throws AdminException {
        for (Topic.Placement placement : topic.partitions()) {
            PartitionLog log = partitions.find(placement);
            if (log != null) {
                LoopCalls.call(log, true, result -> {
                    PartitionHub hub = services.hubs().find(log);
                    if (hub != null) {
                        hub.deduplicate(producer -> services.deduplication().producerId(log, topic, producer));
                    }
                    result.is(true);
                });
            }
        }
    }

    /** On the part's loop; null if no client is connected to it. */
    @Nullable
    PartitionHub hub(Part part) {
        return services.hubs().find(part.log());
    }

    /** On the part's loop. */
    HubView view(Part part) {
        PartitionHub hub = hub(part);
        return hub == null ? HubView.EMPTY : hub.view();
    }
}
