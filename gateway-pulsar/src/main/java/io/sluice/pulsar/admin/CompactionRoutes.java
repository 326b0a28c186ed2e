package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.compaction.ViewCompactionQueue;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.namespace.CompactionThresholds;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.topic.TopicAccess.Found;
import java.io.IOException;
import java.util.List;
import org.apache.pulsar.client.admin.LongRunningProcessStatus;
import org.jspecify.annotations.Nullable;

/**
 * {@code .../:topic/compaction}: starts the compaction of a topic or of one of its partitions, and says how that went. And the thresholds
 * above which a partition is compacted without being asked, of topics and namespaces.
 */
final class CompactionRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic";
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/compactionThreshold";
    private static final String THRESHOLD = TOPIC + "/compactionThreshold";

    private static final int CONFLICT = 409;

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final ViewCompactionQueue views;
    private final NamespacePolicies policies;
    private final CompactionThresholds thresholds;

    CompactionRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
        this.views = topics.services().views();
        this.policies = topics.services().policies();
        this.thresholds = topics.services().thresholds();
    }

    void add(Routes routes) {
        routes.topic(ALTER).put(TOPIC + "/compaction", this::start);
        routes.topic(DESCRIBE).get(TOPIC + "/compaction", this::status);
        routes.wholeTopic(DESCRIBE_CONFIGS).get(THRESHOLD, this::ofTopic);
        var changeTopic = routes.wholeTopic(ALTER_CONFIGS);
        changeTopic.post(
                THRESHOLD, r -> setOfTopic(r, atLeast0(number(r.body()), "Invalid value for compactionThreshold")));
        changeTopic.delete(THRESHOLD, r -> setOfTopic(r, null));
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE, this::ofNamespace);
        var change = routes.namespace(ALTER_CONFIGS);
        change.put(NAMESPACE, r -> setOfNamespace(r, ofNamespace(number(r.body()))));
        change.delete(NAMESPACE, r -> setOfNamespace(r, null));
    }

    // ---- compaction

    private @Nullable Object start(TopicRequest r) throws AdminException {
        if (r.found() instanceof Found.There there && there.topic().isShadow()) {
            throw new AdminException(412, "A shadow topic is compacted with its source: compact that");
        }
        List<Boolean> started = topics.each(
                r, part -> views.start(part.topic(), Math.max(0, part.partition())), CompactionRoutes::startAt);
        if (started.contains(false)) {
            throw new AdminException(CONFLICT, "Compaction already in progress");
        }
        return null;
    }

    private static boolean startAt(OtherNode node) throws AdminException {
        try {
            node.same();
            return true;
        } catch (AdminException e) {
            if (e.status() == CONFLICT) {
                return false;
            }
            throw e;
        }
    }

    private Object status(TopicRequest r) throws AdminException {
        ViewCompactionQueue.Last last = views.last(topics.part(r).log().partitionId());
        return switch (last.state()) {
            case NEVER -> LongRunningProcessStatus.forStatus(LongRunningProcessStatus.Status.NOT_RUN);
            case RUNNING -> LongRunningProcessStatus.forStatus(LongRunningProcessStatus.Status.RUNNING);
            case DONE -> LongRunningProcessStatus.forStatus(LongRunningProcessStatus.Status.SUCCESS);
            case FAILED -> LongRunningProcessStatus.forError(last.failure());
        };
    }

    // ---- thresholds

    private static long number(String body) throws AdminException {
        try {
            return Long.parseLong(body.strip());
        } catch (NumberFormatException e) {
            throw new AdminException(400, "the request's body must be a number of bytes");
        }
    }

    private static long atLeast0(long bytes, String otherwise) throws AdminException {
        if (bytes < 0) {
            throw new AdminException(412, otherwise);
        }
        return bytes;
    }

    /** A namespace's threshold, in bytes, where it can be one. */
    static long ofNamespace(long given) throws AdminException {
        return atLeast0(given, "compactionThreshold must be 0 or more");
    }

    private Object ofTopic(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        if (r.flag("applied")) {
            return thresholds.of(topic);
        }
        Long own = CompactionThresholds.ofTopic(topic);
        return own == null ? Routes.NOTHING : own;
    }

    private @Nullable Object setOfTopic(TopicRequest r, @Nullable Long bytes) throws AdminException {
        Topic topic = topics.topic(r);
        await(topics.services().catalogue().configure(topic.name(), CompactionThresholds.set(topic, bytes)));
        return null;
    }

    private Object ofNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        Long bytes = policies.of(r.tenant(), r.namespace()).compactionThreshold();
        return bytes == null ? Routes.NOTHING : bytes;
    }

    private @Nullable Object setOfNamespace(AdminRequest r, @Nullable Long bytes) throws AdminException, IOException {
        places.requireNamespace(r);
        policies.change(r.tenant(), r.namespace(), p -> p.withCompactionThreshold(bytes));
        return null;
    }
}
