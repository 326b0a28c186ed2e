package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicSeen;
import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.ConsumerIdentity;
import io.sluice.pulsar.dispatch.HashRange;
import io.sluice.pulsar.dispatch.ReplicatedFlag;
import io.sluice.pulsar.dispatch.SubscribeReply;
import io.sluice.pulsar.dispatch.SubscribeRequest;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.schema.SchemaRules;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.services.ClientLimits;
import io.sluice.pulsar.services.NewSubscriptions;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.KeySharedMeta;
import org.apache.pulsar.common.api.proto.KeySharedMode;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * SUBSCRIBE: Exclusive, Failover, Shared, Key_Shared (auto-split and sticky); durable and not; start message id, initial
 * position, priorities, subscription properties, consumer epoch.
 *
 * <p>With the id of a consumer that the connection has, the answer is that of Pulsar's broker: success, and nothing changes, whatever
 * topic and subscription are named; ServiceNotReady while it is being subscribed; UnknownError while one that was closed meanwhile is.
 *
 * <p>A difference on purpose: what Kafka clients wrote is delivered as Pulsar's messages.
 */
final class SubscribeHandler {
    static final String DENIED = "Client is not authorized to subscribe";

    private final Connection connection;
    private final long requestId;
    private final ConsumerIdentity identity;
    private final long epoch;
    private final SubscribeRequest request;
    private final @Nullable Schema schema;
    private final boolean create;
    /** How far back from now a reader starts, in milliseconds; 0 if it names a place. */
    private final long rollback;

    /** The subscription was made in all partitions that are to have it. */
    private volatile boolean made;

    private SubscribeHandler(Connection connection, CommandSubscribe command) {
        this.connection = connection;
        this.requestId = command.getRequestId();
        this.identity = new ConsumerIdentity(
                command.getConsumerId(),
                command.hasConsumerName()
                        ? command.getConsumerName()
                        : connection.services().names().next(),
                command.hasPriorityLevel() ? command.getPriorityLevel() : 0,
                ranges(command),
                ClientMetadata.of(command.getMetadatasList()),
                command.isReadCompacted());
        this.epoch = command.hasConsumerEpoch() ? command.getConsumerEpoch() : Commands.DEFAULT_CONSUMER_EPOCH;
        this.request = requestOf(command);
        this.schema = command.hasSchema() ? Schemas.wanted(command.getSchema()) : null;
        this.create = command.isForceTopicCreation();
        this.rollback = command.isDurable() ? 0 : command.getStartMessageRollbackDurationSec() * 1000;
    }

    private static SubscribeRequest requestOf(CommandSubscribe command) {
        SubscribeRequest.StartId start = command.hasStartMessageId()
                ? new SubscribeRequest.StartId(
                        command.getStartMessageId().getLedgerId(),
                        command.getStartMessageId().getEntryId())
                : null;
        KeySharedMeta keys = command.hasKeySharedMeta() ? command.getKeySharedMeta() : null;
        return new SubscribeRequest(
                command.getSubscription(),
                command.getSubType(),
                command.isDurable(),
                start,
                command.getInitialPosition() == CommandSubscribe.InitialPosition.Earliest,
                keys != null && keys.getKeySharedMode() == KeySharedMode.STICKY,
                keys != null && keys.isAllowOutOfOrderDelivery(),
                properties(command),
                command.isReadCompacted());
    }

    /** A subscription that does not last is not replicated. */
    private static Map<String, String> properties(CommandSubscribe command) {
        Map<String, String> own = ReplicatedFlag.without(map(command.getSubscriptionPropertiesList()));
        return command.isDurable() && command.isReplicateSubscriptionState() ? ReplicatedFlag.set(own) : own;
    }

    private static List<HashRange> ranges(CommandSubscribe command) {
        List<HashRange> ranges = new ArrayList<>();
        if (command.hasKeySharedMeta()) {
            KeySharedMeta keys = command.getKeySharedMeta();
            for (int i = 0; i < keys.getHashRangesCount(); i++) {
                ranges.add(new HashRange(
                        keys.getHashRangeAt(i).getStart(),
                        keys.getHashRangeAt(i).getEnd()));
            }
        }
        return ranges;
    }

    private static Map<String, String> map(List<KeyValue> pairs) {
        Map<String, String> map = new HashMap<>();
        pairs.forEach(p -> map.put(p.getKey(), p.getValue()));
        return map;
    }

    static void handle(Connection c, CommandSubscribe command) {
        long id = command.getConsumerId();
        if (answerPresent(c, id, command.getRequestId())) {
            return;
        }
        if (command.getSubscription().isEmpty()) {
            c.error(command.getRequestId(), ServerError.NotAllowedError, "a subscription needs a name");
            return;
        }
        boolean inOrder = command.getSubType() == SubType.Exclusive || command.getSubType() == SubType.Failover;
        if (command.isReadCompacted() && !inOrder) {
            c.error(
                    command.getRequestId(),
                    ServerError.NotAllowedError,
                    "readCompacted only allowed on failover or exclusive subscriptions");
            return;
        }
        try {
            SubscribeHandler subscribing = new SubscribeHandler(c, command);
            if (PulsarNames.isNonPersistent(command.getTopic())) {
                NonPersistentConsumerHandler.subscribe(
                        c,
                        subscribing.identity,
                        subscribing.request,
                        subscribing.schema,
                        subscribing.requestId,
                        PulsarNames.parseNonPersistent(command.getTopic()));
                return;
            }
            PulsarNames.Parsed name = PulsarNames.parse(command.getTopic());
            if (c.beginConsumer(command.getRequestId(), id)) {
                subscribing.open(name);
            }
        } catch (TopicException e) {
            c.error(command.getRequestId(), ErrorMapping.of(e.reason()), TopicAccess.messageOf(e));
        }
    }

    /** Answers for a consumer id that the connection has already; false if it has none. */
    private static boolean answerPresent(Connection c, long id, long requestId) {
        if (c.attached().consumers().containsKey(id)
                || c.attached().nonPersistent().consumer(id) != null) {
            c.send(Commands.newSuccess(requestId));
        } else if (c.attached().consumersToCome().containsKey(id)) {
            c.error(requestId, ServerError.ServiceNotReady, "Consumer is already present on the connection");
        } else if (c.attached().consumersGivenUp().contains(id)) {
            c.error(requestId, ServerError.UnknownError, "Consumer that failed is already present on the connection");
        } else {
            return false;
        }
        return true;
    }

    private void open(PulsarNames.Parsed name) {
        TopicAccess topics = connection.services().topics();
        // before the topic is made by this use of it
        if (!topics.allowsSubscription(connection.principal(), name.topic(), request.name())) {
            refuse(ServerError.AuthorizationError, TopicAccess.deniedSubscription(request.name()));
            return;
        }
        topics.open(connection.principal(), Operation.READ, name, create, new TopicAccess.Reply() {
            @Override
            public void denied() {
                refuse(ServerError.AuthorizationError, DENIED);
            }

            @Override
            public void opened(TopicAccess.Opened partition) {
                checkSchema(partition);
            }

            @Override
            public void failed(ServerError error, String message) {
                refuse(error, message);
            }
        });
    }

    private void checkSchema(TopicAccess.Opened partition) {
        if (schema == null) {
            attach(partition);
            return;
        }
        Topic topic = partition.topic();
        SchemaRules rules = connection.services().schemaPolicies().of(topic);
        connection.services().schemas().admitReader(topic.sourceId(), !topic.isShadow(), schema, rules, answer -> {
            switch (answer) {
                case TopicSchemas.Answer.Found f -> attach(partition);
                case TopicSchemas.Answer.None n -> attach(partition);
                case TopicSchemas.Answer.Refused r -> refuse(ServerError.IncompatibleSchema, r.message());
                case TopicSchemas.Answer.Unavailable u -> refuse(ServerError.ServiceNotReady, u.message());
            }
        });
    }

    /** The topic may change, or have changed a moment ago: see {@link NewSubscriptions}. */
    private void makeOfSeveral(TopicAccess.Opened partition) {
        made = true;
        NewSubscriptions.make(
                        connection.services(),
                        partition.topic(),
                        partition.partition(),
                        request.name(),
                        request.properties(),
                        request.whereToBegin())
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        attach(partition);
                    } else {
                        TopicException why = TopicAccess.reasonOf(failure);
                        refuse(ErrorMapping.of(why.reason()), TopicAccess.messageOf(why));
                    }
                });
    }

    private void attach(TopicAccess.Opened partition) {
        CommandStep.run(
                partition.log(),
                () -> {
                    if (rollback > 0) {
                        joinBack(partition);
                    } else {
                        join(partition, request);
                    }
                },
                "the subscription could not be opened",
                this::refuse);
    }

    /** On the container's loop: finds where a reader that goes back in time starts. */
    private void joinBack(TopicAccess.Opened partition) {
        PartitionLog log = partition.log();
        log.offsetAtTime(log.container().now() - rollback, new PartitionLog.TimeReply() {
            @Override
            public void found(PartitionLog.OffsetAndTime base) {
                long offset = base.offset() < 0 ? log.readableEnd(Isolation.COMMITTED) : base.offset();
                join(partition, request.startingAt(new SubscribeRequest.StartId(log.ledgerAt(offset), offset)));
            }

            @Override
            public void failed(StoreFailure why) {
                refuse(ErrorMapping.of(why), why.message());
            }
        });
    }

    /** On the container's loop. */
    private void join(TopicAccess.Opened partition, SubscribeRequest at) {
        if (partition.log().isGone()) {
            refuse(ServerError.ServiceNotReady, "the partition is not here any more");
            return;
        }
        PartitionHub hub = connection.services().hubs().on(partition.log(), partition.name(), partition.partition());
        ClientLimits.Refusal full =
                connection.services().limits().ofConsumer(partition.topic(), request, hub, partition.log());
        ClientLimits.Refusal tooOften = full != null || made ? full : ClientLimits.ofRate(consumerSeen(), hub);
        if (tooOften != null) {
            refuse(tooOften.error(), tooOften.message());
            return;
        }
        Consumer consumer = new Consumer(
                identity,
                connection.consumerOutlet(),
                epoch,
                partition.log().container().now());
        hub.subscriptions().subscribe(at, consumer, new SubscribeReply() {
            @Override
            public void subscribed(Subscription subscription) {
                ClientConsumer joined = new ClientConsumer(
                        consumer,
                        subscription,
                        TopicSeen.of(partition.topic()),
                        TransactionCommands.participant(partition, request.name()));
                connection.execute(() -> succeed(joined));
            }

            @Override
            public boolean makesSubscription() {
                if (made || !NewSubscriptions.isOfSeveral(connection.services(), partition.topic())) {
                    return true;
                }
                makeOfSeveral(partition);
                return false;
            }

            @Override
            public void refused(ServerError error, String message) {
                refuse(error, message);
            }
        });
    }

    /** The consumer as one that came before: by its host, name and id, as Pulsar. */
    private String consumerSeen() {
        String address = connection.consumerOutlet().address();
        String host = address.substring(0, Math.max(0, address.lastIndexOf(':')));
        return host + '/' + identity.name() + '/' + identity.id();
    }

    private void succeed(ClientConsumer consumer) {
        if (!connection.isOpen() || !isExpected()) {
            connection.attached().endConsumer(identity.id());
            connection.attached().detach(consumer, null);
            return;
        }
        connection.attached().consumers().put(identity.id(), consumer);
        connection.send(Commands.newSuccess(requestId));
        connection
                .attached()
                .lateAcks()
                .takeFor(identity.id(), consumer.participant())
                .forEach(late -> AckHandler.carryOut(connection, consumer, ConsumerTask.NO_REQUEST, late));
    }

    /** The subscribing has come to its end. True if the client waits for it; it was told already that a consumer it gave up is closed. */
    private boolean isExpected() {
        boolean expected = connection.attached().consumersToCome().remove(identity.id(), (Long) requestId);
        if (!expected) {
            connection.attached().consumersGivenUp().remove(identity.id());
        }
        return expected;
    }

    private void refuse(ServerError error, String message) {
        connection.execute(() -> {
            connection.attached().endConsumer(identity.id());
            if (isExpected()) {
                connection.refuseConsumer(requestId, identity.id(), error, message);
            }
        });
    }
}
