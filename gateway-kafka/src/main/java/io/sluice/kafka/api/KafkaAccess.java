package io.sluice.kafka.api;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.format.TopicNames;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Rights of clients, and the one way from the name or the id a client uses to the topic. Who asks says what for, and may be denied. Handlers ask
 * once for each topic of a request; what is done with its partitions afterwards is not asked for again. Any thread.
 *
 * <p>By name, a denial comes before anything else, so that names cannot be probed; a name that no topic can have is missing.
 * By id, a topic that is not there is missing: ids cannot be guessed, and only topics have names to be denied by.
 */
public final class KafkaAccess {
    private static final TopicLookup DENIED = new TopicLookup.Denied();
    private static final TopicLookup NO_SUCH_NAME = new TopicLookup.Missing(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    private static final TopicLookup NO_SUCH_ID = new TopicLookup.Missing(Errors.UNKNOWN_TOPIC_ID);

    private static final Map<ResourceType, Set<Operation>> OPERATIONS = Map.of(
            ResourceType.TOPIC,
                    EnumSet.of(
                            Operation.READ,
                            Operation.WRITE,
                            Operation.CREATE,
                            Operation.DESCRIBE,
                            Operation.DELETE,
                            Operation.ALTER,
                            Operation.DESCRIBE_CONFIGS,
                            Operation.ALTER_CONFIGS),
            ResourceType.GROUP,
                    EnumSet.of(
                            Operation.READ,
                            Operation.DESCRIBE,
                            Operation.DELETE,
                            Operation.DESCRIBE_CONFIGS,
                            Operation.ALTER_CONFIGS),
            ResourceType.CLUSTER,
                    EnumSet.of(
                            Operation.CREATE,
                            Operation.CLUSTER_ACTION,
                            Operation.DESCRIBE_CONFIGS,
                            Operation.ALTER_CONFIGS,
                            Operation.IDEMPOTENT_WRITE,
                            Operation.ALTER,
                            Operation.DESCRIBE));

    private final TopicCatalogue catalogue;
    private final Authorizer authorizer;
    /** For questions that refuse nobody. */
    private final Authorizer quiet;

    public KafkaAccess(TopicCatalogue catalogue, Authorizer authorizer) {
        this.catalogue = catalogue;
        this.authorizer = authorizer;
        this.quiet = authorizer.quietly();
    }

    /** An internal topic is found like any other. */
    public TopicLookup find(Principal who, Operation operation, String kafkaName) {
        TopicName name = TopicNames.fromKafka(kafkaName);
        if (name == null) {
            return NO_SUCH_NAME;
        }
        return authorizer.allows(who, operation, name) ? found(catalogue.find(name), NO_SUCH_NAME) : DENIED;
    }

    /** Look-up for a request that has a right in the cluster, which is for all topics. */
    public TopicLookup find(String kafkaName) {
        TopicName name = TopicNames.fromKafka(kafkaName);
        return name == null ? NO_SUCH_NAME : found(catalogue.find(name), NO_SUCH_NAME);
    }

    public TopicLookup find(Principal who, Operation operation, Uuid id) {
        Topic topic = catalogue.find(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
        return topic == null || authorizer.allows(who, operation, topic.name()) ? found(topic, NO_SUCH_ID) : DENIED;
    }

    /** By name, or by id where the name is empty or there is an id. */
    public TopicLookup find(Principal who, Operation operation, String kafkaName, Uuid id) {
        return kafkaName.isEmpty() || !id.equals(Uuid.ZERO_UUID)
                ? find(who, operation, id)
                : find(who, operation, kafkaName);
    }

    /** Look-up of a topic to be created. A principal with the right to create topics in the cluster needs none for this topic. */
    public TopicLookup findToCreate(Principal who, String kafkaName) {
        TopicName name = TopicNames.fromKafka(kafkaName);
        if (name == null) {
            return NO_SUCH_NAME;
        }
        boolean allowed = hasOnCluster(who, Operation.CREATE) || authorizer.allows(who, Operation.CREATE, name);
        return allowed ? found(catalogue.find(name), NO_SUCH_NAME) : DENIED;
    }

    private static TopicLookup found(@Nullable Topic topic, TopicLookup otherwise) {
        return topic == null ? otherwise : new TopicLookup.Found(topic);
    }

    /** Topics, internal ones included, on which the principal may perform the operation; in no order. */
    public List<Topic> all(Principal who, Operation operation) {
        return catalogue.withShadows().stream()
                .filter(topic -> quiet.allows(who, operation, topic.name()))
                .toList();
    }

    /** Whether the operation on a group or a transactional id is allowed. */
    public boolean allows(Principal who, Operation operation, ResourceType type, String name) {
        return authorizer.allows(who, operation, type, name);
    }

    /** As {@link #allows}, where the answer refuses nobody: what is not allowed is not shown. */
    public boolean shows(Principal who, Operation operation, ResourceType type, String name) {
        return quiet.allows(who, operation, type, name);
    }

    /** The same of a topic; a name that no topic can have hides nothing. */
    public boolean shows(Principal who, Operation operation, String kafkaName) {
        TopicName name = TopicNames.fromKafka(kafkaName);
        return name == null || quiet.allows(who, operation, name);
    }

    /** As {@link #allowsOnCluster}, where another right may do as well. */
    public boolean hasOnCluster(Principal who, Operation operation) {
        return quiet.allowsOnCluster(who, operation);
    }

    /** Whether there may be a topic that the principal may write. */
    public boolean allowsWritesSomewhere(Principal who) {
        return quiet.allowsOnAny(who, Operation.WRITE, ResourceType.TOPIC);
    }

    /** Operations on a resource that the principal may perform, of those that Kafka names for the type: bit n is the operation of code n. */
    public int operations(Principal who, ResourceType type, String name) {
        int bits = 0;
        for (Operation operation : OPERATIONS.getOrDefault(type, Set.of())) {
            if (allowsAny(who, operation, type, name)) {
                bits |= 1 << AclOperation.valueOf(operation.name()).code();
            }
        }
        return bits;
    }

    /** The same of the cluster, for a client that may describe it; none for another. */
    public int operationsOnCluster(Principal who) {
        return hasOnCluster(who, Operation.DESCRIBE)
                ? operations(who, ResourceType.CLUSTER, ResourcePattern.CLUSTER)
                : 0;
    }

    private boolean allowsAny(Principal who, Operation operation, ResourceType type, String name) {
        return switch (type) {
            case CLUSTER -> quiet.allowsOnCluster(who, operation);
            case TOPIC -> {
                TopicName topic = TopicNames.fromKafka(name);
                yield topic != null && quiet.allows(who, operation, topic);
            }
            default -> quiet.allows(who, operation, type, name);
        };
    }

    /** See {@link Authorizer#version}. */
    public long version() {
        return authorizer.version();
    }

    public boolean allowsOnCluster(Principal who, Operation operation) {
        return authorizer.allowsOnCluster(who, operation);
    }
}
