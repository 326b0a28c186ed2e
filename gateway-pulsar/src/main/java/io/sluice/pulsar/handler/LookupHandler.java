package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import org.apache.pulsar.common.api.proto.CommandLookupTopic;
import org.apache.pulsar.common.api.proto.CommandLookupTopicResponse.LookupType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * LOOKUP. A partition is served by the owner of its container, and the client is told to connect there, authoritatively. To
 * this node it connects at the URL of the listener it names, else at the advertised host, else at the address it came to; to another one
 * at what that has advertised. A topic that does not exist and would be created on use is found too, at the node
 * that will have it; whatever is named {@code topic://} is found here: who connects is told then by {@link ScalableLookupHandler}.
 *
 * <p>While a partition goes from one node to another the answer waits: clients that are told that it is not served close their connection,
 * with all that they have on it.
 */
final class LookupHandler {
    /** For a node to be found dead, and another one to recover what it had. */
    private static final long PATIENCE_MILLIS = 10_000;

    private final Connection connection;
    private final long requestId;
    /** Empty if the client named none. */
    private final String listener;

    private LookupHandler(Connection connection, CommandLookupTopic command) {
        this.connection = connection;
        this.requestId = command.getRequestId();
        this.listener = command.hasAdvertisedListenerName() ? command.getAdvertisedListenerName() : "";
    }

    static void handle(Connection c, CommandLookupTopic command) {
        LookupHandler lookUp = new LookupHandler(c, command);
        try {
            if (PulsarNames.isScalable(command.getTopic())) {
                // any node answers for the layout, missing or not
                PulsarNames.parseScalable(command.getTopic());
                lookUp.connectHere();
            } else if (PulsarNames.isNonPersistent(command.getTopic())) {
                PulsarNames.Parsed name = PulsarNames.parseNonPersistent(command.getTopic());
                c.attached().waits().add(last -> lookUp.answerNonPersistent(name, last), PATIENCE_MILLIS);
            } else {
                PulsarNames.Parsed name = PulsarNames.parse(command.getTopic());
                c.services()
                        .topics()
                        .whenKnown(
                                c.principal(),
                                Operation.DESCRIBE,
                                name,
                                c::execute,
                                () -> c.attached().waits().add(last -> lookUp.answer(name, last), PATIENCE_MILLIS));
            }
        } catch (TopicException e) {
            lookUp.fail(ErrorMapping.of(e.reason()), TopicAccess.messageOf(e));
        }
    }

    /** Whether there is an answer. */
    private boolean answer(PulsarNames.Parsed name, boolean last) {
        TopicAccess topics = connection.services().topics();
        switch (topics.find(connection.principal(), Operation.DESCRIBE, name)) {
            case Found.Denied d -> fail(ServerError.AuthorizationError, "Client is not authorized to Lookup");
            case Found.Missing m
            when !m.creatable() -> fail(ServerError.TopicNotFound, "Topic " + PulsarNames.text(name) + " not found");
            case Found.Allowed allowed -> {
                return answer(topics.serving(name, allowed), last);
            }
        }
        return true;
    }

    private boolean answerNonPersistent(PulsarNames.Parsed name, boolean last) {
        TopicAccess topics = connection.services().topics();
        if (!topics.allows(connection.principal(), Operation.DESCRIBE, name.topic())) {
            fail(ServerError.AuthorizationError, "Client is not authorized to Lookup");
            return true;
        }
        return answer(topics.servingNonPersistent(name), last);
    }

    private boolean answer(Serving serving, boolean last) {
        switch (serving) {
            case Serving.Here h -> connectHere();
            case Serving.Elsewhere e
            when ServiceUrls.binaryOf(config(), e.node()) != null ->
                connectTo(ServiceUrls.binaryOf(config(), e.node(), listener));
            default -> {
                if (!last) {
                    return false;
                }
                fail(ServerError.ServiceNotReady, "the topic is not served now");
            }
        }
        return true;
    }

    private void connectHere() {
        connectTo(ServiceUrls.of(config(), listener, connection.channel().localAddress()));
    }

    private PulsarGatewayConfig config() {
        return connection.services().config();
    }

    private void connectTo(@Nullable String url) {
        if (url == null) {
            fail(ServerError.MetadataError, "there is no listener named '" + listener + "'");
        } else {
            connection.send(Commands.newLookupResponse(
                    ServiceUrls.plain(url), ServiceUrls.secure(url), true, LookupType.Connect, requestId, false));
        }
    }

    private void fail(ServerError error, String message) {
        connection.send(Commands.newLookupErrorResponse(error, message, requestId));
    }
}
