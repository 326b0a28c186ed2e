package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.namespace.Deduplication;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NamespacePolicy;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.vertx.core.json.DecodeException;
import java.io.IOException;
import java.util.Map;
import org.apache.pulsar.common.policies.data.PersistencePolicies;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;

/**
 * Policies of namespaces that tools set before they begin, and deduplication and persistence of a topic. A difference on purpose: persistence is kept and
 * shown, and the server's own setting says how many copies there are.
 */
final class PolicyRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace";
    private static final String OF_TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic";
    private static final String TOPIC = OF_TOPIC + "/deduplicationEnabled";

    private static final int MAX_COPIES = 5;

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final NamespacePolicies policies;
    private final Deduplication deduplication;
    private final PersistencePolicies ofServer;

    /** @param ofServer copies that the server's settings say */
    PolicyRoutes(AdminTopics topics, PlaceRoutes places, PersistencePolicies ofServer) {
        this.ofServer = ofServer;
        this.topics = topics;
        this.places = places;
        this.policies = topics.services().policies();
        this.deduplication = topics.services().deduplication();
    }

    void add(Routes routes) {
        var look = routes.namespace(DESCRIBE_CONFIGS);
        look.get(NAMESPACE + "/persistence", r -> orNothing(policyOf(r).persistence()));
        look.get(NAMESPACE + "/deduplication", r -> orNothing(policyOf(r).deduplication()));
        var change = routes.namespace(ALTER_CONFIGS);
        change.post(NAMESPACE + "/persistence", this::setPersistence);
        change.delete(NAMESPACE + "/persistence", this::removePersistence);
        change.post(NAMESPACE + "/deduplication", r -> deduplicate(r, truth(r.body())));
        change.delete(NAMESPACE + "/deduplication", r -> deduplicate(r, null));
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC, this::deduplicationOfTopic);
        var changeTopic = routes.wholeTopic(ALTER_CONFIGS);
        changeTopic.post(TOPIC, r -> deduplicateTopic(r, truth(r.body())));
        changeTopic.delete(TOPIC, r -> deduplicateTopic(r, null));
        routes.wholeTopic(DESCRIBE_CONFIGS).get(OF_TOPIC + "/persistence", this::persistenceOfTopic);
        changeTopic.post(OF_TOPIC + "/persistence", r -> setPersistence(r, wanted(r.body())));
        changeTopic.delete(OF_TOPIC + "/persistence", r -> setPersistence(r, null));
    }

    static Object orNothing(@Nullable Object value) {
        return value == null ? Routes.NOTHING : value;
    }

    private NamespacePolicy policyOf(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        return policies.of(r.tenant(), r.namespace());
    }

    /** By Pulsar's own mapper, which knows its classes; null without a body. */
    static <T> @Nullable T read(String body, Class<T> type) {
        try {
            return body.isBlank()
                    ? null
                    : ObjectMapperFactory.getMapper().reader().readValue(body, type);
        } catch (IOException e) {
            throw new DecodeException(e.getMessage(), e);
        }
    }

    private static boolean truth(String body) throws AdminException {
        Boolean value = read(body, Boolean.class);
        if (value == null) {
            throw new AdminException(400, "the request's body must be true or false");
        }
        return value;
    }

    // ---- persistence

    private @Nullable Object setPersistence(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        PersistencePolicies wanted = wanted(r.body());
        policies.change(r.tenant(), r.namespace(), p -> p.withPersistence(wanted));
        return null;
    }

    private static PersistencePolicies wanted(String body) throws AdminException {
        PersistencePolicies wanted = read(body, PersistencePolicies.class);
        if (wanted == null) {
            throw new AdminException(400, "persistence policies should not be null");
        }
        check(wanted);
        return wanted;
    }

    private Object persistenceOfTopic(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        PersistencePolicies own = TopicPolicies.PERSISTENCE.ofTopic(topic);
        if (own != null || !r.flag("applied")) {
            return orNothing(own);
        }
        PersistencePolicies ofNamespace =
                policies.of(topic.name().tenant(), topic.name().namespace()).persistence();
        return ofNamespace == null ? ofServer : ofNamespace;
    }

    private @Nullable Object setPersistence(TopicRequest r, @Nullable PersistencePolicies wanted)
            throws AdminException {
        Topic topic = topics.topic(r);
        await(topics.services().catalogue().configure(topic.name(), TopicPolicies.PERSISTENCE.set(topic, wanted)));
        return null;
    }

    /** As Pulsar does. */
    static void check(PersistencePolicies wanted) throws AdminException {
        int ensemble = wanted.getBookkeeperEnsemble();
        int write = wanted.getBookkeeperWriteQuorum();
        int ack = wanted.getBookkeeperAckQuorum();
        for (int copies : new int[] {ensemble, write, ack}) {
            if (copies < 1 || copies > MAX_COPIES) {
                throw new AdminException(400, "ensemble and quorums must be 1 to " + MAX_COPIES + ", not " + copies);
            }
        }
        if (write > ensemble || ack > write) {
            throw new AdminException(
                    400,
                    "Bookkeeper Ensemble (" + ensemble + ") >= WriteQuorum (" + write + ") >= AckQuorum (" + ack + ")");
        }
    }

    private @Nullable Object removePersistence(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        policies.change(r.tenant(), r.namespace(), p -> p.withPersistence(null));
        return null;
    }

    // ---- deduplication

    private @Nullable Object deduplicate(AdminRequest r, @Nullable Boolean on) throws AdminException, IOException {
        places.requireNamespace(r);
        policies.change(r.tenant(), r.namespace(), p -> deduplication.set(p, on));
        for (Topic topic : topics.services().topics().topics(r.tenant(), r.namespace())) {
            topics.deduplicate(topic);
        }
        return null;
    }

    private Object deduplicationOfTopic(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        return r.flag("applied") ? deduplication.isOn(topic) : orNothing(Deduplication.ofTopic(topic));
    }

    private @Nullable Object deduplicateTopic(TopicRequest r, @Nullable Boolean on) throws AdminException {
        Topic topic = topics.topic(r);
        Map<String, String> settings = deduplication.set(topic, on);
        topics.deduplicate(await(topics.services().catalogue().configure(topic.name(), settings)));
        return null;
    }
}
