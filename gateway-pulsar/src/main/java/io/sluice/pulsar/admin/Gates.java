package io.sluice.pulsar.admin;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.registry.RegistryException;
import io.sluice.pulsar.registry.SchemaRegistry;
import io.sluice.pulsar.registry.Subject;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * Authorization before every route: the client must be allowed the route's operation, on the topic, the namespace or the cluster
 * that it is about. A refusal is 403 with Pulsar's words, for topics too, where Pulsar answers 401.
 */
final class Gates {
    static final int DENIED = 403;

    /** Lets a request through as what the route works on. */
    interface Gate<T> {
        T pass(AdminRequest request) throws AdminException;
    }

    private final TopicAccess access;

    Gates(TopicAccess access) {
        this.access = access;
    }

    /** Gate of a topic, or of one of its partitions. */
    Gate<TopicRequest> topic(Operation operation) {
        return r -> {
            PulsarNames.Parsed name = r.topic();
            know(r, operation, name);
            return admit(r, operation, name, access.find(r.principal(), operation, name));
        };
    }

    /** Gate of a topic as a whole, whichever of its partitions is named. */
    Gate<TopicRequest> wholeTopic(Operation operation) {
        return r -> {
            PulsarNames.Parsed name = r.topic();
            know(r, operation, new PulsarNames.Parsed(name.topic(), -1));
            return admit(r, operation, name, access.findWhole(r.principal(), operation, name));
        };
    }

    /** Gate of a non-persistent topic, or of one of its partitions; whether there is one is not looked at. */
    Gate<NonPersistentRequest> nonPersistent(Operation operation) {
        return r -> {
            PulsarNames.Parsed name = r.topic();
            if (!access.allows(r.principal(), operation, name.topic())) {
                throw denied(operation, PulsarNames.ofNonPersistent(name));
            }
            checkSubscription(r);
            return new NonPersistentRequest(r, name);
        };
    }

    private static AdminException denied(Operation operation, String topic) {
        return new AdminException(
                DENIED,
                "Unauthorized to validateTopicOperation for operation [" + operation + "] on topic [" + topic + "]");
    }

    /** Waits until a topic is known here that another node has just made. */
    private void know(AdminRequest r, Operation operation, PulsarNames.Parsed name) throws AdminException {
        CompletableFuture<Boolean> known = new CompletableFuture<>();
        access.whenKnown(r.principal(), operation, name, Runnable::run, () -> known.complete(true));
        AdminAnswers.await(known);
    }

    /** A request about a subscription is for who may use it. One about a Kafka group is for who has a right on the group. */
    private void checkSubscription(AdminRequest r) throws AdminException {
        String subscription = r.find("subscription");
        if (subscription != null
                && !GroupName.isGroup(subscription)
                && !access.allowsSubscription(r.principal(), r.tenant(), r.namespace(), subscription)) {
            throw new AdminException(DENIED, "Unauthorized to use the subscription [" + subscription + "]");
        }
    }

    private TopicRequest admit(AdminRequest r, Operation operation, PulsarNames.Parsed name, Found found)
            throws AdminException {
        return switch (found) {
            case Found.Allowed there -> {
                checkSubscription(r);
                yield new TopicRequest(r, name, there);
            }
            case Found.Denied d -> throw denied(operation, PulsarNames.text(name));
        };
    }

    Gate<AdminRequest> namespace(Operation operation) {
        return r -> {
            r.checkNamespace();
            if (!access.allowsOnNamespace(r.principal(), operation, r.tenant(), r.namespace())) {
                throw new AdminException(
                        DENIED,
                        "Unauthorized to validateNamespaceOperation for operation [" + operation + "] on namespace ["
                                + r.tenant() + "/" + r.namespace() + "]");
            }
            checkSubscription(r);
            return r;
        };
    }

    /** Gate of a subject of the schema registry: it is about a topic. */
    Gate<SubjectRequest> subject(Operation operation) {
        return r -> {
            Subject subject;
            try {
                subject = Subject.of(r.get("subject"));
            } catch (RegistryException e) {
                throw AdminException.of(e);
            }
            if (!access.allows(r.principal(), operation, subject.topic())) {
                throw AdminException.of(new RegistryException(
                        RegistryException.DENIED,
                        "Unauthorized for operation [" + operation + "] on subject [" + subject.name() + "]"));
            }
            return new SubjectRequest(r, subject);
        };
    }

    /** Gate of what is about no subject: the namespace of plain topics. */
    Gate<AdminRequest> registry(Operation operation) {
        return r -> {
            if (!allowsOnRegistry(r, operation)) {
                throw deniedByRegistry(operation);
            }
            return r;
        };
    }

    /** Gate of a schema by its id: a subject that has it, or as {@link #registry}. */
    Gate<AdminRequest> schemaId(Operation operation, SchemaRegistry registry) {
        return r -> {
            if (!allowsOnRegistry(r, operation) && !allowsOnAny(r, operation, registry)) {
                throw deniedByRegistry(operation);
            }
            return r;
        };
    }

    /** Gate of what holds for all subjects: as {@link #cluster}. */
    Gate<AdminRequest> registrySettings(Operation operation) {
        return r -> {
            if (!access.allowsOnCluster(r.principal(), operation)) {
                throw deniedByRegistry(operation);
            }
            return r;
        };
    }

    private static AdminException deniedByRegistry(Operation operation) {
        return AdminException.of(new RegistryException(
                RegistryException.DENIED, "Unauthorized for operation [" + operation + "] on the schema registry"));
    }

    private boolean allowsOnRegistry(AdminRequest r, Operation operation) {
        return access.allowsOnNamespace(
                r.principal(), operation, TopicName.DEFAULT_TENANT, TopicName.DEFAULT_NAMESPACE);
    }

    private boolean allowsOnAny(AdminRequest r, Operation operation, SchemaRegistry registry) throws AdminException {
        try {
            for (String subject : registry.subjectsOf(Integer.parseInt(r.get("id")))) {
                if (access.allows(r.principal(), operation, Subject.of(subject).topic())) {
                    return true;
                }
            }
            return false;
        } catch (RegistryException | NumberFormatException e) {
            return false;
        } catch (IOException e) {
            throw AdminException.of(RegistryException.unavailable());
        }
    }

    /** Gate of what concerns a tenant as a whole: its administrators, or as {@link #cluster}. */
    Gate<AdminRequest> tenant(Operation operation) {
        Gate<AdminRequest> others = cluster(operation);
        return r -> access.administers(r.principal(), r.tenant()) ? r : others.pass(r);
    }

    /** Gate of what concerns the tenants of all topics in the request's body: as {@link #tenant}, of each of them. */
    Gate<TopicsRequest> topicsOfBody(Operation operation) {
        Gate<AdminRequest> others = cluster(operation);
        return r -> {
            TopicsRequest asked;
            try {
                asked = TopicsRequest.of(r);
            } catch (AdminException | RuntimeException e) {
                others.pass(r); // who may not ask is not told what is wrong
                throw e;
            }
            boolean administers = asked.topics().stream()
                    .map(each -> each.name().topic().tenant())
                    .distinct()
                    .allMatch(tenant -> access.administers(r.principal(), tenant));
            if (!administers) {
                others.pass(r);
            }
            return asked;
        };
    }

    Gate<AdminRequest> cluster(Operation operation) {
        return r -> {
            if (!access.allowsOnCluster(r.principal(), operation)) {
                throw new AdminException(DENIED, "This operation requires super-user access");
            }
            return r;
        };
    }
}
