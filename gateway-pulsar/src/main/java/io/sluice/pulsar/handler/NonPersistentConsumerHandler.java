package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.NonPersistentClients.Reading;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.ConsumerIdentity;
import io.sluice.pulsar.dispatch.ConsumerView;
import io.sluice.pulsar.dispatch.SubscribeRequest;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.schema.SchemaRules;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.schema.TopicSchemas.Answer;
import io.sluice.pulsar.services.ClientLimits;
import io.sluice.pulsar.topic.TopicAccess;
import java.util.Map;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Commands of consumers of non-persistent topics. SUBSCRIBE: all types; where to begin is not looked at, since there is only what comes. ACK,
 * SEEK and REDELIVER_UNACKNOWLEDGED_MESSAGES succeed and do nothing, and there is no last message id, as in Pulsar.
 */
final class NonPersistentConsumerHandler {
    private final Connection connection;
    private final ConsumerIdentity identity;
    private final SubscribeRequest request;
    private final long requestId;
    private final Parsed name;

    private NonPersistentConsumerHandler(
            Connection connection, ConsumerIdentity identity, SubscribeRequest request, long requestId, Parsed name) {
        this.connection = connection;
        this.identity = identity;
        this.request = request;
        this.requestId = requestId;
        this.name = name;
    }

    static void subscribe(
            Connection c,
            ConsumerIdentity identity,
            SubscribeRequest request,
            @Nullable Schema schema,
            long requestId,
            Parsed name) {
        var handler = new NonPersistentConsumerHandler(c, identity, request, requestId, name);
        if (!c.services().topics().allows(c.principal(), Operation.READ, name.topic())) {
            c.error(requestId, ServerError.AuthorizationError, SubscribeHandler.DENIED);
            return;
        }
        if (!c.services().topics().allowsSubscription(c.principal(), name.topic(), request.name())) {
            c.error(requestId, ServerError.AuthorizationError, TopicAccess.deniedSubscription(request.name()));
            return;
        }
        if (c.beginConsumer(requestId, identity.id())) {
            NonPersistentNames.whenKnown(c, name, () -> handler.open(schema));
        }
    }

    private void open(@Nullable Schema schema) {
        NonPersistentTopic topic = NonPersistentNames.open(connection, name, this::refuse);
        if (topic == null) {
            return;
        }
        ClientLimits.Refusal otherType = connection.services().limits().ofNotKept(name.topic(), request);
        if (otherType != null) {
            refuse(otherType.error(), otherType.message());
            return;
        }
        if (schema == null) {
            join(topic);
            return;
        }
        SchemaRules rules = connection.services().schemaPolicies().of(name.topic(), settings());
        connection
                .services()
                .schemas()
                .admitReader(TopicSchemas.ofNonPersistent(name.topic()), true, schema, rules, answer -> {
                    switch (answer) {
                        case Answer.Found f -> connection.execute(() -> join(topic));
                        case Answer.None n -> connection.execute(() -> join(topic));
                        case Answer.Refused r -> refuse(ServerError.IncompatibleSchema, r.message());
                        case Answer.Unavailable u -> refuse(ServerError.ServiceNotReady, u.message());
                    }
                });
    }

    private Map<String, String> settings() {
        return connection.services().nonPersistent().settings().of(name.topic());
    }

    /** On the event loop. */
    private void join(NonPersistentTopic topic) {
        if (!isExpected() || !connection.isOpen()) {
            connection.attached().endConsumer(identity.id());
            return;
        }
        Consumer consumer = new Consumer(
                identity, connection.consumerOutlet(), Commands.DEFAULT_CONSUMER_EPOCH, System.currentTimeMillis());
        NonPersistentTopic.Refusal refusal =
                topic.subscribe(request, connection.services().limits().boundsOf(name.topic()), consumer);
        if (refusal != null) {
            connection.attached().endConsumer(identity.id());
            connection.refuseConsumer(requestId, identity.id(), refusal.error(), refusal.message());
            return;
        }
        connection.attached().nonPersistent().put(new Reading(consumer, topic, request.name()));
        connection.send(Commands.newSuccess(requestId));
    }

    /** The subscribing has come to its end. True if the client waits for it. */
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

    // ---- of a consumer that is there

    static void flow(Connection c, long consumerId, int permits) {
        Reading consumer = c.attached().nonPersistent().consumer(consumerId);
        if (consumer != null) {
            consumer.topic().flow(consumer.subscription(), consumer.consumer(), permits);
        }
    }

    /** False if the connection has no such consumer. */
    static boolean ack(Connection c, long consumerId, long requestId, boolean inTransaction) {
        if (c.attached().nonPersistent().consumer(consumerId) == null) {
            return false;
        }
        if (requestId != ConsumerTask.NO_REQUEST) {
            ServerError error = inTransaction ? ServerError.NotAllowedError : null;
            String why = inTransaction ? "a non-persistent topic is part of no transaction" : null;
            c.send(Commands.newAckResponse(requestId, error, why, consumerId));
        }
        return true;
    }

    /** False if the connection has no such consumer. */
    static boolean seek(Connection c, long consumerId, long requestId) {
        if (c.attached().nonPersistent().consumer(consumerId) == null) {
            return false;
        }
        c.send(Commands.newSuccess(requestId));
        return true;
    }

    /** False if the connection has no such consumer. */
    static boolean lastMessageId(Connection c, long consumerId, long requestId) {
        if (c.attached().nonPersistent().consumer(consumerId) == null) {
            return false;
        }
        c.error(
                requestId,
                ServerError.NotAllowedError,
                "getLastMessageId is not supported on non-persistent topics, which keep none");
        return true;
    }

    /** False if the connection has no such consumer. */
    static boolean unsubscribe(Connection c, long consumerId, long requestId, boolean force) {
        Reading consumer = c.attached().nonPersistent().consumer(consumerId);
        if (consumer == null) {
            return false;
        }
        if (consumer.topic().unsubscribe(consumer.subscription(), force ? Integer.MAX_VALUE : 1)) {
            c.attached().nonPersistent().removeConsumer(consumerId);
            c.send(Commands.newSuccess(requestId));
        } else {
            c.error(requestId, ServerError.MetadataError, "Unconnected or shared consumer attempting to unsubscribe");
        }
        return true;
    }

    /** False if the connection has no such consumer. */
    static boolean stats(Connection c, long consumerId, long requestId) {
        Reading consumer = c.attached().nonPersistent().consumer(consumerId);
        if (consumer == null) {
            return false;
        }
        ConsumerView view = consumer.topic().viewOf(consumer.subscription(), consumer.consumer());
        if (view == null) {
            c.send(Commands.newConsumerStatsResponse(ServerError.ConsumerNotFound, "Consumer not found", requestId));
        } else {
            ConsumerStatsHandler.answer(c, requestId, view, consumer.topic().typeOf(consumer.subscription()), 0);
        }
        return true;
    }
}
