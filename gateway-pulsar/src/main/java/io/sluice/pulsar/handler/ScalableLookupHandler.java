package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.PulsarNames.Sought;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.scalable.ClientWatch;
import io.sluice.pulsar.scalable.Controllers.Controller;
import io.sluice.pulsar.scalable.Layout;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import org.apache.pulsar.common.api.proto.CommandScalableTopicClose;
import org.apache.pulsar.common.api.proto.CommandScalableTopicLookup;
import org.apache.pulsar.common.api.proto.ScalableTopicDAG;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * SCALABLE_TOPIC_LOOKUP: the layout now, and again after every change, until SCALABLE_TOPIC_CLOSE or the end of the connection. A
 * classic topic of the name is shown as if its partitions were segments, unless there is a scalable one. Nothing is created
 * here.
 *
 * <p>Differences on purpose: a client has {@link #MAX_WATCHES} watches on a connection, and the id of one that is open is
 * refused.
 */
final class ScalableLookupHandler {
    static final int MAX_WATCHES = 1_000;
    /** For another node to recover what a dead one served. */
    private static final long CONTROLLER_MILLIS = 10_000;

    private final Connection connection;
    private final long session;
    private final Sought name;
    private boolean answered;

    private ScalableLookupHandler(Connection connection, long session, Sought name) {
        this.connection = connection;
        this.session = session;
        this.name = name;
    }

    static void handle(Connection c, CommandScalableTopicLookup command) {
        long session = command.getSessionId();
        try {
            if (c.attached().layoutWatches().containsKey(session)) {
                fail(c, session, ServerError.NotAllowedError, "the session " + session + " is open already");
            } else if (c.attached().layoutWatches().size() >= MAX_WATCHES) {
                fail(
                        c,
                        session,
                        ServerError.NotAllowedError,
                        "a connection watches " + MAX_WATCHES + " topics at most");
            } else {
                new ScalableLookupHandler(c, session, PulsarNames.parseScalable(command.getTopic())).begin();
            }
        } catch (TopicException e) {
            fail(c, session, ErrorMapping.of(e.reason()), TopicAccess.messageOf(e));
        }
    }

    static void handle(Connection c, CommandScalableTopicClose command) {
        ClientWatch watch = c.attached().layoutWatches().remove(command.getSessionId());
        if (watch != null) {
            watch.close();
        }
    }

    private Found find() {
        return connection
                .services()
                .topics()
                .find(connection.principal(), Operation.DESCRIBE, new Parsed(name.topic(), -1));
    }

    private void begin() {
        if (find() instanceof Found.Denied) {
            fail(
                    connection,
                    session,
                    ServerError.AuthorizationError,
                    "Client is not authorized to ScalableTopicLookup");
            return;
        }
        // first the watch, then the look: a change in between is told twice rather than not at all
        ClientWatch watch = connection.services().layouts().add(name.topic(), () -> connection.execute(this::tell));
        connection.attached().layoutWatches().put(session, watch);
        KnownTopics.scalable(
                connection,
                Operation.DESCRIBE,
                name.topic(),
                () -> connection.attached().waits().add(last -> answer(watch, last), CONTROLLER_MILLIS));
    }

    /** Whether the client is answered, which it is with a controller if one is to be known soon: it registers its consumers there at once. */
    private boolean answer(ClientWatch watch, boolean last) {
        if (connection.attached().layoutWatches().get(session) != watch) {
            return true; // closed meanwhile
        }
        boolean waits = connection.services().controllers().of(name.topic()) instanceof Controller.Unknown;
        if (waits && !last && connection.services().scalable().find(name.topic()) != null) {
            return false;
        }
        answered = true;
        watch.telling();
        ScalableTopicDAG dag = layout();
        if (dag == null) {
            watch.close();
            connection.attached().layoutWatches().remove(session);
            String shown = name.scalable()
                    ? PulsarNames.ofScalable(name.topic())
                    : name.topic().toString();
            fail(connection, session, ServerError.TopicNotFound, "Scalable topic not found: " + shown);
        } else {
            send(dag);
        }
        return true;
    }

    /** On the event loop, after a change. A topic that is gone is not mentioned, as in Pulsar: its segments are gone. */
    private void tell() {
        ClientWatch watch = connection.attached().layoutWatches().get(session);
        if (watch == null || !answered || !connection.isOpen()) {
            return;
        }
        watch.telling();
        ScalableTopic now = connection.services().scalable().find(name.topic());
        if (now != null) {
            send(layout(now));
        }
    }

    private @Nullable ScalableTopicDAG layout() {
        ScalableTopic scalable = connection.services().scalable().find(name.topic());
        if (scalable != null) {
            return layout(scalable);
        }
        if (name.scalable()) {
            return null;
        }
        return switch (find()) {
            case Found.There there -> {
                Topic topic = there.topic();
                int partitions = topic.partitioned() ? topic.partitions().size() : 0;
                yield Layout.ofClassic(topic.name(), partitions, topic.createdAt());
            }
            case Found.Missing m when m.creatable() -> Layout.ofClassic(name.topic(), 0, 0);
            default -> null;
        };
    }

    private ScalableTopicDAG layout(ScalableTopic topic) {
        return Layout.of(topic, this::urlOf, controllerUrl());
    }

    private @Nullable String controllerUrl() {
        return switch (connection.services().controllers().of(name.topic())) {
            case Controller.Here here -> self();
            case Controller.Elsewhere there ->
                ServiceUrls.binaryOf(connection.services().config(), there.node());
            case Controller.Unknown none -> null;
        };
    }

    /** Address of this node, as the client has reached it. */
    private @Nullable String self() {
        return ServiceUrls.of(
                connection.services().config(), "", connection.channel().localAddress());
    }

    private @Nullable String urlOf(Parsed segment) {
        TopicAccess topics = connection.services().topics();
        Found found = topics.find(connection.principal(), Operation.DESCRIBE, segment);
        if (!(found instanceof Found.Partition p)) {
            return null;
        }
        return switch (topics.serving(p)) {
            case Serving.Here here -> self();
            case Serving.Elsewhere e ->
                ServiceUrls.binaryOf(connection.services().config(), e.node());
            case Serving.Unserved n -> null;
        };
    }

    private void send(ScalableTopicDAG dag) {
        connection.send(Commands.newScalableTopicUpdate(session, PulsarNames.ofScalable(name.topic()), dag));
    }

    private static void fail(Connection c, long session, ServerError error, String message) {
        c.send(Commands.newScalableTopicError(session, error, message));
    }
}
