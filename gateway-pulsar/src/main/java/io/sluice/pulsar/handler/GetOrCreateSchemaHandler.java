package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.schema.SchemaRules;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import java.util.UUID;
import org.apache.pulsar.common.api.proto.CommandGetOrCreateSchema;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.schema.BytesSchemaVersion;

/**
 * GET_OR_CREATE_SCHEMA: the version of a schema, registered now if it has none; see {@link TopicSchemas}. It is for producers,
 * so it wants what they want; Pulsar does not check that.
 */
final class GetOrCreateSchemaHandler {
    private static final String DENIED = "Client is not authorized to Get Or Create Schema";

    private GetOrCreateSchemaHandler() {}

    static void handle(Connection c, CommandGetOrCreateSchema command) {
        long requestId = command.getRequestId();
        try {
            Schema schema = Schemas.copy(command.getSchema());
            if (PulsarNames.isNonPersistent(command.getTopic())) {
                answerNonPersistent(c, requestId, PulsarNames.parseNonPersistent(command.getTopic()), schema);
                return;
            }
            Parsed name = PulsarNames.parse(command.getTopic());
            Parsed whole = new Parsed(name.topic(), -1);
            c.services()
                    .topics()
                    .whenKnown(
                            c.principal(),
                            Operation.WRITE,
                            whole,
                            c::execute,
                            () -> answer(c, requestId, whole, schema));
        } catch (TopicException e) {
            fail(c, requestId, ErrorMapping.of(e.reason()), TopicAccess.messageOf(e));
        }
    }

    private static void answerNonPersistent(Connection c, long requestId, Parsed name, Schema schema) {
        if (c.services().topics().allows(c.principal(), Operation.WRITE, name.topic())) {
            SchemaRules rules = c.services()
                    .schemaPolicies()
                    .of(name.topic(), c.services().nonPersistent().settings().of(name.topic()));
            register(c, requestId, TopicSchemas.ofNonPersistent(name.topic()), schema, rules);
        } else {
            fail(c, requestId, ServerError.AuthorizationError, DENIED);
        }
    }

    private static void answer(Connection c, long requestId, Parsed whole, Schema schema) {
        switch (c.services().topics().find(c.principal(), Operation.WRITE, whole)) {
            case Found.Denied d -> fail(c, requestId, ServerError.AuthorizationError, DENIED);
            case Found.Missing m ->
                fail(c, requestId, ServerError.TopicNotFound, "Topic " + PulsarNames.text(whole) + " not found");
            case Found.There t ->
                register(
                        c,
                        requestId,
                        t.topic().id(),
                        schema,
                        c.services().schemaPolicies().of(t.topic()));
        }
    }

    private static void register(Connection c, long requestId, UUID topic, Schema schema, SchemaRules rules) {
        c.services().schemas().register(topic, schema, rules, answer -> answer(c, requestId, answer));
    }

    private static void answer(Connection c, long requestId, TopicSchemas.Answer answer) {
        switch (answer) {
            case TopicSchemas.Answer.Found f ->
                c.send(Commands.newGetOrCreateSchemaResponse(
                        requestId,
                        BytesSchemaVersion.of(Schemas.versionBytes(f.schema().version()))));
            case TopicSchemas.Answer.None n -> fail(c, requestId, ServerError.MetadataError, "no schema");
            case TopicSchemas.Answer.Refused r -> fail(c, requestId, ServerError.IncompatibleSchema, r.message());
            case TopicSchemas.Answer.Unavailable u -> fail(c, requestId, ServerError.ServiceNotReady, u.message());
        }
    }

    private static void fail(Connection c, long requestId, ServerError error, String message) {
        c.send(Commands.newGetOrCreateSchemaResponseError(requestId, error, message));
    }
}
