package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.topic.TopicAccess.Found;
import java.util.Map;
import org.apache.pulsar.common.policies.data.stats.TopicStatsImpl;
import org.apache.pulsar.common.scalable.ScalableTopicConstants;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /admin/v2/scalable/TENANT/NAMESPACE/TOPIC/migrate}: a classic topic becomes a scalable one. As in Pulsar it is refused
 * while clients are connected that cannot follow, unless it is forced: then producers are told that their topic was terminated, and
 * consumers read what is there.
 */
final class MigrationRoute {
    private static final String MIGRATE = "/admin/v2/scalable/:tenant/:namespace/:scalableTopic/migrate";

    private final AdminTopics topics;
    private final Stats stats;

    MigrationRoute(AdminTopics topics) {
        this.topics = topics;
        this.stats = new Stats(topics);
    }

    void add(Routes routes) {
        routes.wholeTopic(ALTER).post(MIGRATE, this::migrate);
    }

    private @Nullable Object migrate(TopicRequest r) throws AdminException {
        TopicName name = r.name().topic();
        if (r.name().partition() >= 0) {
            throw new AdminException(412, "a partition does not become scalable by itself: name its topic");
        }
        if (topics.services().scalable().find(name) != null) {
            throw new AdminException(409, "Topic is already scalable: " + PulsarNames.ofScalable(name));
        }
        if (!(r.found() instanceof Found.There there)) {
            throw new AdminException(404, "Topic does not exist: " + name);
        }
        Topic topic = there.topic();
        if (!r.flag("force")) {
            refuseIfOthersAreConnected(r, topic);
        }
        int partitions = topic.partitioned() ? topic.partitions().size() : 0;
        await(topics.services().scalable().migrate(name, partitions));
        return null;
    }

    private void refuseIfOthersAreConnected(TopicRequest r, Topic topic) throws AdminException {
        int others = 0;
        for (TopicStatsImpl each : stats.ofEach(r, topic, StatsOptions.USUAL)) {
            others += others(each);
        }
        if (others > 0) {
            throw new AdminException(
                    409,
                    "Topic " + topic.name() + " has " + others + " producers and consumers of clients that do not know"
                            + " scalable topics. Disconnect them, or use force");
        }
    }

    private static int others(TopicStatsImpl topic) {
        long producers = topic.getPublishers().stream()
                .filter(producer -> !follows(producer.getMetadata()))
                .count();
        long consumers = topic.getSubscriptions().values().stream()
                .flatMap(subscription -> subscription.getConsumers().stream())
                .filter(consumer -> !follows(consumer.getMetadata()))
                .count();
        return (int) (producers + consumers);
    }

    /** Whether its client watches the layout of the topic. */
    private static boolean follows(Map<String, String> metadata) {
        return ScalableTopicConstants.V5_MANAGED_METADATA_VALUE.equals(
                metadata.get(ScalableTopicConstants.V5_MANAGED_METADATA_KEY));
    }
}
