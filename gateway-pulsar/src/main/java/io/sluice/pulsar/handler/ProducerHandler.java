package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.connection.ClientProducer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.FinalRefusals;
import io.sluice.pulsar.connection.NonPersistentClients.Producer;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.format.SourcePosition;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.hub.ReplicatedBacklog;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.services.BacklogQuotaChecks;
import io.sluice.pulsar.services.ClientLimits;
import io.sluice.pulsar.services.NewSubscriptions;
import io.sluice.pulsar.services.SchemaPolicies;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.store.segment.Durable;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.apache.pulsar.common.api.proto.CommandProducer;
import org.apache.pulsar.common.api.proto.CommandTopicMigrated.ResourceType;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.schema.BytesSchemaVersion;
import org.apache.pulsar.common.protocol.schema.SchemaVersion;
import org.jspecify.annotations.Nullable;

/**
 * PRODUCER: access modes Shared, Exclusive, WaitForExclusive, ExclusiveWithFencing; producer epochs; initial subscription.
 *
 * <p>With the id of a producer that the connection has, the answer is success again, as from Pulsar's broker, whatever topic and name are
 * asked for, and nothing changes; ServiceNotReady while it is being created or waits for its turn. Other than there the answer names the last
 * sequence id and the topic's epoch.
 *
 * <p>Differences on purpose: deduplication is on unless a setting turns it off (see {@link io.sluice.pulsar.namespace.Deduplication}), so
 * {@code last_sequence_id} is meaningful by default. A schema is registered as {@link TopicSchemas} says; one refused is
 * {@code IncompatibleSchema}. {@code txn_enabled} is not
 * looked at: every producer may send in transactions. A producer of a topic that has migrated to another cluster is told so and refused, so
 * that clients that do not follow hear why.
 */
final class ProducerHandler {
    private static final String CREATES_NONE = "the producer could not be created";
    static final String DENIED = "Client is not authorized to Produce";

    private final Connection connection;
    private final ProducerSession.Identity identity;
    private final long requestId;
    private final @Nullable Schema schema;
    private final String initialSubscription;
    private final boolean encrypted;

    /** The initial subscription was made in all partitions that are to have it. */
    private volatile boolean subscribed;

    private ProducerHandler(Connection connection, CommandProducer command) {
        this.connection = connection;
        this.requestId = command.getRequestId();
        boolean named = command.hasProducerName() && !command.getProducerName().isEmpty();
        this.identity = new ProducerSession.Identity(
                command.getProducerId(),
                named
                        ? command.getProducerName()
                        : connection.services().names().next(),
                named && command.isUserProvidedProducerName(),
                command.getEpoch(),
                command.getProducerAccessMode(),
                command.hasTopicEpoch() ? command.getTopicEpoch() : -1,
                ClientMetadata.of(command.getMetadatasList()));
        this.schema = command.hasSchema() ? Schemas.wanted(command.getSchema()) : null;
        this.encrypted = command.isEncrypted();
        this.initialSubscription = command.hasInitialSubscriptionName() ? command.getInitialSubscriptionName() : "";
    }

    static void handle(Connection c, CommandProducer command) {
        long id = command.getProducerId();
        c.attached().leavingProducers().forget(id);
        FinalRefusals.Refusal refusal = c.attached().finalRefusals().take(id);
        if (refusal != null) {
            c.error(command.getRequestId(), refusal.error(), refusal.message());
            return;
        }
        ClientProducer present = c.attached().producers().get(id);
        if (present != null && present.isReady()) {
            repeat(c, present, command.getRequestId());
            return;
        }
        if (present != null || c.attached().producersToCome().containsKey(id)) {
            c.error(
                    command.getRequestId(),
                    ServerError.ServiceNotReady,
                    "Producer is already present on the connection");
            return;
        }
        Producer nonPersistent = c.attached().nonPersistent().producer(id);
        if (nonPersistent != null) {
            NonPersistentProducerHandler.repeat(c, nonPersistent, command.getRequestId());
            return;
        }
        try {
            if (PulsarNames.isNonPersistent(command.getTopic())) {
                PulsarNames.Parsed name = PulsarNames.parseNonPersistent(command.getTopic());
                NonPersistentProducerHandler.handle(c, command, new ProducerHandler(c, command).identity, name);
                return;
            }
            PulsarNames.Parsed name = PulsarNames.parse(command.getTopic());
            ProducerHandler creating = new ProducerHandler(c, command);
            c.attached().producersToCome().put(id, (Long) command.getRequestId());
            creating.open(name);
        } catch (TopicException e) {
            c.error(command.getRequestId(), ErrorMapping.of(e.reason()), TopicAccess.messageOf(e));
        }
    }

    /** Answers for a producer that the connection has, whatever topic and name are asked for. */
    private static void repeat(Connection c, ClientProducer producer, long requestId) {
        ClientProducer.Told told = Objects.requireNonNull(producer.told());
        BiConsumer<ServerError, String> refuse =
                (error, message) -> c.execute(() -> c.error(requestId, error, message));
        CommandStep.run(
                producer.log(),
                () -> {
                    if (producer.session().attached()) {
                        whenLastIsDurable(
                                producer, last -> c.execute(() -> success(c, producer, requestId, last, told)), refuse);
                    } else {
                        refuse.accept(ServerError.ServiceNotReady, "the producer is being closed");
                    }
                },
                "the producer could not be looked up",
                refuse);
    }

    /**
     * Tells the producer's last sequence id. The client takes all up to it for stored, so that is told when no crash takes it back. On the
     * container's loop.
     */
    private static void whenLastIsDurable(
            ClientProducer producer, LongConsumer told, BiConsumer<ServerError, String> refused) {
        long last = producer.log().producers().lastSequenceId(producer.dedupId());
        producer.log()
                .producers()
                .whenLastIsDurable(
                        producer.dedupId(),
                        Durable.of(
                                () -> told.accept(last), why -> refused.accept(ErrorMapping.of(why), why.message())));
    }

    private void open(PulsarNames.Parsed name) {
        TopicAccess topics = connection.services().topics();
        if (!initialSubscription.isEmpty()
                && (topics.find(connection.principal(), Operation.READ, name) instanceof TopicAccess.Found.Denied
                        || !topics.allowsSubscription(connection.principal(), name.topic(), initialSubscription))) {
            refuse(ServerError.AuthorizationError, DENIED);
            return;
        }
        topics.open(connection.principal(), Operation.WRITE, name, true, new TopicAccess.Reply() {
            @Override
            public void denied() {
                refuse(ServerError.AuthorizationError, DENIED);
            }

            @Override
            public void opened(TopicAccess.Opened partition) {
                String why = connection
                        .services()
                        .limits()
                        .whyNotPlain(partition.topic().name(), encrypted || isReplicator());
                if (why == null) {
                    register(partition);
                } else {
                    refuse(ServerError.NotAllowedError, why);
                }
            }

            @Override
            public void failed(ServerError error, String message) {
                refuse(error, message);
            }
        });
    }

    /** Has a client create its producer at the cluster to which the topic has migrated. Any thread. */
    static void sendOn(Connection c, long producerId, long requestId, TopicName topic) {
        c.execute(() -> {
            c.attached().producersToCome().remove(producerId, (Long) requestId);
            c.redirects().tell(ResourceType.Producer, producerId, topic);
            String why = c.services().migration().whyNotWritten(topic);
            c.error(requestId, ServerError.ServiceNotReady, why == null ? "the topic is here again" : why);
        });
    }

    /** Sends on what another cluster has let in. */
    private boolean isReplicator() {
        return SourcePosition.isReplicator(identity.name());
    }

    private void register(TopicAccess.Opened partition) {
        TopicSchemas schemas = connection.services().schemas();
        SchemaPolicies policies = connection.services().schemaPolicies();
        Topic topic = partition.topic();
        if (topic.isShadow()) {
            attach(partition, null); // what it sends is refused
        } else if (schema != null) {
            schemas.register(topic.id(), schema, policies.of(topic), answer -> registered(partition, answer));
        } else if (policies.isEnforced(topic)) {
            schemas.find(topic.id(), -1, answer -> registered(partition, Schemas.ofProducerWithout(answer)));
        } else {
            attach(partition, null);
        }
    }

    private void registered(TopicAccess.Opened partition, TopicSchemas.Answer answer) {
        switch (answer) {
            case TopicSchemas.Answer.Found f -> attach(partition, f.schema().version());
            case TopicSchemas.Answer.None n -> attach(partition, null);
            case TopicSchemas.Answer.Refused r -> refuse(ServerError.IncompatibleSchema, r.message());
            case TopicSchemas.Answer.Unavailable u -> refuse(ServerError.ServiceNotReady, u.message());
        }
    }

    private void attach(TopicAccess.Opened partition, @Nullable Long schemaVersion) {
        CommandStep.run(partition.log(), () -> admit(partition, schemaVersion), CREATES_NONE, this::refuse);
    }

    /** On the container's loop: looks at the backlog, if it has a quota. */
    private void admit(TopicAccess.Opened partition, @Nullable Long schemaVersion) {
        BacklogQuotaChecks quotas = connection.services().quotaChecks();
        if (partition.log().isGone() || !quotas.concernsProducers(partition.topic())) {
            join(partition, schemaVersion);
            return;
        }
        quotas.ofProducer(partition.topic(), partition.log(), over -> {
            if (over == null) {
                CommandStep.run(partition.log(), () -> join(partition, schemaVersion), CREATES_NONE, this::refuse);
            } else {
                refuse(over.error(), over.message());
            }
        });
    }

    /** On the container's loop. */
    private void join(TopicAccess.Opened partition, @Nullable Long schemaVersion) {
        if (partition.log().isGone()) {
            refuse(ServerError.ServiceNotReady, "the partition is not here any more");
            return;
        }
        if (connection.services().migration().of(partition.topic().name()) != null) {
            leave(partition);
            return;
        }
        boolean subscribes = !initialSubscription.isEmpty()
                && partition.log().subscriptions().find(initialSubscription) == null;
        if (subscribes && !subscribed && NewSubscriptions.isOfSeveral(connection.services(), partition.topic())) {
            subscribe(partition, schemaVersion);
            return;
        }
        PartitionHub hub = connection.services().hubs().on(partition.log(), partition.name(), partition.partition());
        ClientLimits.Refusal full = connection.services().limits().ofProducer(partition.topic(), hub);
        if (full != null) {
            refuse(full.error(), full.message());
            return;
        }
        ProducerSession session = new ProducerSession(
                identity,
                connection.producerOutlet(),
                partition.log().container().now());
        ClientProducer producer = connection
                .publishing()
                .producer(
                        session, partition.topic().name(), partition.log(), TransactionCommands.participant(partition));
        producer.joined(hub, dedupId(partition));
        if (subscribes) {
            String why = partition.log().subscriptions().whyNot(initialSubscription, Map.of());
            if (why != null) {
                refuse(ServerError.NotAllowedError, why);
                return;
            }
            long start = partition.log().startOffset();
            partition.log().subscriptions().create(initialSubscription, start, Map.of(), Durable.IGNORED);
        }
        hub.produce(producer.session(), new PartitionHub.ProduceReply() {
            @Override
            public void ready(long topicEpoch) {
                var told = new ClientProducer.Told(topicEpoch, schemaVersion);
                whenLastIsDurable(
                        producer, last -> connection.execute(() -> succeed(producer, last, told)), this::refused);
            }

            @Override
            public void queued() {
                connection.execute(() -> queue(producer, schemaVersion));
            }

            @Override
            public void refused(ServerError error, String message) {
                connection.execute(() -> connection.attached().producers().remove(identity.id(), producer));
                if (error == ServerError.TopicTerminatedError) {
                    connection.services().scalable().goOnAfter(partition.topic().name());
                }
                refuse(error, message);
            }
        });
    }

    /** The topic has migrated. Its producers follow when all that was written here has been sent on to third clusters. */
    private void leave(TopicAccess.Opened partition) {
        TopicName topic = partition.topic().name();
        if (ReplicatedBacklog.isThere(partition.log())) {
            refuse(
                    ServerError.ServiceNotReady,
                    topic + " migrates to another cluster when all of it has been replicated");
        } else {
            sendOn(connection, identity.id(), requestId, topic);
        }
    }

    /** The topic may change, or have changed a moment ago: see {@link NewSubscriptions}. */
    private void subscribe(TopicAccess.Opened partition, @Nullable Long schemaVersion) {
        subscribed = true;
        NewSubscriptions.make(
                        connection.services(),
                        partition.topic(),
                        partition.partition(),
                        initialSubscription,
                        Map.of(),
                        SubscriptionStart.FIRST)
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        attach(partition, schemaVersion);
                    } else {
                        TopicException why = TopicAccess.reasonOf(failure);
                        refuse(ErrorMapping.of(why.reason()), TopicAccess.messageOf(why));
                    }
                });
    }

    /** By the settings as they are now: those of when the topic was opened may have changed. */
    private long dedupId(TopicAccess.Opened partition) {
        Topic topic = connection.services().topics().current(partition.topic());
        return connection.services().deduplication().producerId(partition.log(), topic, identity.name());
    }

    /** On the event loop. */
    private void succeed(ClientProducer producer, long lastSequenceId, ClientProducer.Told told) {
        if (keep(producer)) {
            producer.ready(told);
            success(connection, producer, requestId, lastSequenceId, told);
        }
    }

    /** On the event loop; another answer follows when it is the producer's turn. */
    private void queue(ClientProducer producer, @Nullable Long schemaVersion) {
        if (keep(producer)) {
            connection.send(Commands.newProducerSuccess(
                    requestId, identity.name(), -1, version(schemaVersion), Optional.empty(), false));
        }
    }

    /** False if its client is gone, or has given it up. */
    private boolean keep(ClientProducer producer) {
        long id = identity.id();
        boolean expected = connection.attached().producers().get(id) == producer
                || ((Long) requestId)
                        .equals(connection.attached().producersToCome().get(id));
        if (!connection.isOpen() || !expected) {
            connection.publishing().detach(producer, null);
            return false;
        }
        connection.attached().producersToCome().remove(id);
        connection.attached().producers().put(id, producer);
        return true;
    }

    private static void success(
            Connection c, ClientProducer producer, long requestId, long lastSequenceId, ClientProducer.Told told) {
        c.send(Commands.newProducerSuccess(
                requestId,
                producer.session().name(),
                lastSequenceId,
                version(told.schemaVersion()),
                told.topicEpoch() < 0 ? Optional.empty() : Optional.of(told.topicEpoch()),
                true));
    }

    private static SchemaVersion version(@Nullable Long stored) {
        return BytesSchemaVersion.of(stored == null ? new byte[0] : Schemas.versionBytes(stored));
    }

    private void refuse(ServerError error, String message) {
        connection.execute(() -> {
            connection.attached().producersToCome().remove(identity.id(), (Long) requestId);
            connection.error(requestId, error, message);
        });
    }
}
