package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.connection.ClientProducer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.NonPersistentClients.Producer;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.producer.ProducerRoster;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.schema.TopicSchemas.Answer;
import io.sluice.pulsar.services.SchemaPolicies;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.pulsar.common.api.proto.CommandProducer;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.schema.BytesSchemaVersion;
import org.apache.pulsar.common.protocol.schema.SchemaVersion;
import org.jspecify.annotations.Nullable;

/**
 * PRODUCER of a non-persistent topic: all access modes, whose epochs last as long as the topic is loaded, and schemas, which are kept as those
 * of other topics. Nothing is remembered of what a producer has sent: the last sequence id is -1. As in Pulsar an initial subscription
 * is not made.
 */
final class NonPersistentProducerHandler {
    private final Connection connection;
    private final ProducerSession.Identity identity;
    private final long requestId;
    private final Parsed name;

    private NonPersistentProducerHandler(
            Connection connection, ProducerSession.Identity identity, long requestId, Parsed name) {
        this.connection = connection;
        this.identity = identity;
        this.requestId = requestId;
        this.name = name;
    }

    static void handle(Connection c, CommandProducer command, ProducerSession.Identity identity, Parsed name) {
        var handler = new NonPersistentProducerHandler(c, identity, command.getRequestId(), name);
        if (!c.services().topics().allows(c.principal(), Operation.WRITE, name.topic())) {
            c.error(command.getRequestId(), ServerError.AuthorizationError, ProducerHandler.DENIED);
            return;
        }
        String why = c.services().limits().whyNotPlain(name.topic(), command.isEncrypted());
        if (why != null) {
            c.error(command.getRequestId(), ServerError.NotAllowedError, why);
            return;
        }
        c.attached().producersToCome().put(identity.id(), (Long) command.getRequestId());
        Schema schema = command.hasSchema() ? Schemas.wanted(command.getSchema()) : null;
        NonPersistentNames.whenKnown(c, name, () -> handler.open(schema));
    }

    private void open(@Nullable Schema schema) {
        if (connection.services().migration().of(name.topic()) != null) {
            ProducerHandler.sendOn(connection, identity.id(), requestId, name.topic());
            return;
        }
        NonPersistentTopic topic = NonPersistentNames.open(connection, name, this::refuse);
        if (topic == null) {
            return;
        }
        TopicSchemas schemas = connection.services().schemas();
        SchemaPolicies policies = connection.services().schemaPolicies();
        Map<String, String> settings =
                connection.services().nonPersistent().settings().of(name.topic());
        UUID id = TopicSchemas.ofNonPersistent(name.topic());
        if (schema != null) {
            schemas.register(id, schema, policies.of(name.topic(), settings), answer -> answered(topic, answer));
        } else if (policies.isEnforced(name.topic(), settings)) {
            schemas.find(id, -1, answer -> answered(topic, Schemas.ofProducerWithout(answer)));
        } else {
            join(topic, null);
        }
    }

    private void answered(NonPersistentTopic topic, Answer answer) {
        switch (answer) {
            case Answer.Found f ->
                connection.execute(() -> join(topic, f.schema().version()));
            case Answer.None n -> connection.execute(() -> join(topic, null));
            case Answer.Refused r -> refuse(ServerError.IncompatibleSchema, r.message());
            case Answer.Unavailable u -> refuse(ServerError.ServiceNotReady, u.message());
        }
    }

    /** On the event loop. */
    private void join(NonPersistentTopic topic, @Nullable Long schemaVersion) {
        var session = new ProducerSession(identity, connection.producerOutlet(), System.currentTimeMillis());
        topic.produce(session, connection.services().limits().boundsOf(name.topic()), new ProducerRoster.Reply() {
            @Override
            public void ready(ProducerSession ready, long topicEpoch) {
                var told = new ClientProducer.Told(topicEpoch, schemaVersion);
                connection.execute(() -> succeed(new Producer(session, topic, told)));
            }

            @Override
            public void queued(ProducerSession queued) {
                connection.execute(() -> queue(new Producer(session, topic, null), schemaVersion));
            }

            @Override
            public void refused(ServerError error, String message) {
                connection.execute(() -> {
                    forget(session);
                    refuse(error, message);
                });
            }
        });
    }

    /** One that waited for its turn, and does not get it. */
    private void forget(ProducerSession session) {
        Producer there = connection.attached().nonPersistent().producer(identity.id());
        if (there != null && there.session() == session) {
            connection.attached().nonPersistent().removeProducer(identity.id());
        }
    }

    private void succeed(Producer producer) {
        if (keep(producer)) {
            success(connection, producer, requestId);
        }
    }

    /** Another answer follows when it is the producer's turn. */
    private void queue(Producer producer, @Nullable Long schemaVersion) {
        if (keep(producer)) {
            connection.send(Commands.newProducerSuccess(
                    requestId, identity.name(), -1, version(schemaVersion), Optional.empty(), false));
        }
    }

    /** False if its client is gone, or has given it up. */
    private boolean keep(Producer producer) {
        long id = identity.id();
        Producer there = connection.attached().nonPersistent().producer(id);
        boolean expected = there != null && there.session() == producer.session()
                || ((Long) requestId)
                        .equals(connection.attached().producersToCome().get(id));
        if (!connection.isOpen() || !expected) {
            producer.topic().remove(producer.session());
            return false;
        }
        connection.attached().producersToCome().remove(id);
        connection.attached().nonPersistent().put(producer);
        return true;
    }

    /** Answers again for a producer that the connection has. */
    static void repeat(Connection c, Producer producer, long requestId) {
        if (producer.told() == null) {
            c.error(requestId, ServerError.ServiceNotReady, "Producer is already present on the connection");
        } else {
            success(c, producer, requestId);
        }
    }

    private static void success(Connection c, Producer producer, long requestId) {
        ClientProducer.Told told = producer.told();
        if (told != null) {
            c.send(Commands.newProducerSuccess(
                    requestId,
                    producer.session().name(),
                    -1,
                    version(told.schemaVersion()),
                    told.topicEpoch() < 0 ? Optional.empty() : Optional.of(told.topicEpoch()),
                    true));
        }
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
