package io.sluice.kafka.api;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.format.TopicNames;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The one way from the name or the id a client uses to the topic. Who asks says what for, and may be denied. Handlers ask
 * once for each topic of a request; what is done with its partitions afterwards is not asked for again. Any thread.
 *
 * <p>By name, a denial comes before anything else, so that names cannot be probed; a name that no topic can have is missing.
 * By id, a topic that is not there is missing: ids cannot be guessed, and only topics have names to be denied by.
 */
public final class AuthorizedTopics {
    private static final TopicLookup DENIED = new TopicLookup.Denied();
    private static final TopicLookup NO_SUCH_NAME = new TopicLookup.Missing(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    private static final TopicLookup NO_SUCH_ID = new TopicLookup.Missing(Errors.UNKNOWN_TOPIC_ID);

    private final TopicCatalogue catalogue;
    private final Authorizer authorizer;

    public AuthorizedTopics(TopicCatalogue catalogue, Authorizer authorizer) {
        this.catalogue = catalogue;
        this.authorizer = authorizer;
    }

    /** An internal topic is found like any other. */
    public TopicLookup find(Principal who, Operation operation, String kafkaName) {
        TopicName name = TopicNames.fromKafka(kafkaName);
        if (name == null) {
            return NO_SUCH_NAME;
        }
        return authorizer.allows(who, operation, name) ? found(catalogue.find(name), NO_SUCH_NAME) : DENIED;
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
        boolean allowed = allowsOnCluster(who, Operation.CREATE) || authorizer.allows(who, Operation.CREATE, name);
        return allowed ? found(catalogue.find(name), NO_SUCH_NAME) : DENIED;
    }

    private static TopicLookup found(@Nullable Topic topic, TopicLookup otherwise) {
        return topic == null ? otherwise : new TopicLookup.Found(topic);
    }

    /** Topics, internal ones included, on which the principal may perform the operation; in no order. */
    public List<Topic> all(Principal who, Operation operation) {
        return catalogue.all().stream()
                .filter(topic -> authorizer.allows(who, operation, topic.name()))
                .toList();
    }

    public boolean allowsOnCluster(Principal who, Operation operation) {
        return authorizer.allowsOnCluster(who, operation);
    }
}
