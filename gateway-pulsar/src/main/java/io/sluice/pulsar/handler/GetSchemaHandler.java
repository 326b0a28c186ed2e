package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import java.util.UUID;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandGetSchema;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;

/**
 * GET_SCHEMA: one version of a topic's schema, the newest if none is named. No schema is {@code TopicNotFound}, as in Pulsar.
 * A client that may not look the topic up does not get it; Pulsar does not check that.
 */
final class GetSchemaHandler {
    private static final String DENIED = "Client is not authorized to Get Schema";

    private GetSchemaHandler() {}

    static void handle(Connection c, CommandGetSchema command) {
        long requestId = command.getRequestId();
        try {
            long version = command.hasSchemaVersion() ? Schemas.version(command.getSchemaVersion()) : -1;
            if (PulsarNames.isNonPersistent(command.getTopic())) {
                answerNonPersistent(c, requestId, PulsarNames.parseNonPersistent(command.getTopic()), version);
                return;
            }
            Parsed name = PulsarNames.parse(command.getTopic());
            Parsed whole = new Parsed(name.topic(), -1);
            c.services()
                    .topics()
                    .whenKnown(
                            c.principal(),
                            Operation.DESCRIBE,
                            whole,
                            c::execute,
                            () -> answer(c, requestId, whole, version));
        } catch (TopicException e) {
            fail(c, requestId, ErrorMapping.of(e.reason()), TopicAccess.messageOf(e));
        }
    }

    private static void answerNonPersistent(Connection c, long requestId, Parsed name, long version) {
        if (!c.services().topics().allows(c.principal(), Operation.DESCRIBE, name.topic())) {
            fail(c, requestId, ServerError.AuthorizationError, DENIED);
        } else if (version < -1) {
            missing(c, requestId);
        } else {
            UUID topic = TopicSchemas.ofNonPersistent(name.topic());
            c.services().schemas().find(topic, version, answer -> answer(c, requestId, answer));
        }
    }

    private static void answer(Connection c, long requestId, Parsed whole, long version) {
        switch (c.services().topics().find(c.principal(), Operation.DESCRIBE, whole)) {
            case Found.Denied d -> fail(c, requestId, ServerError.AuthorizationError, DENIED);
            case Found.There t
            when version >= -1 ->
                c.services().schemas().find(t.topic().sourceId(), version, answer -> answer(c, requestId, answer));
            case Found.Missing m -> missing(c, requestId);
            case Found.There t -> missing(c, requestId);
        }
    }

    private static void answer(Connection c, long requestId, TopicSchemas.Answer answer) {
        switch (answer) {
            case TopicSchemas.Answer.Found f -> {
                BaseCommand command = new BaseCommand().setType(BaseCommand.Type.GET_SCHEMA_RESPONSE);
                command.setGetSchemaResponse()
                        .setRequestId(requestId)
                        .setSchemaVersion(Schemas.versionBytes(f.schema().version()))
                        .setSchema()
                        .copyFrom(f.schema().schema());
                c.send(Commands.serializeWithSize(command));
            }
            case TopicSchemas.Answer.None n ->
                fail(c, requestId, ServerError.TopicNotFound, "Topic not found or no-schema");
            case TopicSchemas.Answer.Refused r -> fail(c, requestId, ServerError.IncompatibleSchema, r.message());
            case TopicSchemas.Answer.Unavailable u -> fail(c, requestId, ServerError.ServiceNotReady, u.message());
        }
    }

    private static void missing(Connection c, long requestId) {
        fail(c, requestId, ServerError.TopicNotFound, "Topic not found or no schema of that version");
    }

    private static void fail(Connection c, long requestId, ServerError error, String message) {
        c.send(Commands.newGetSchemaResponseError(requestId, error, message));
    }
}
