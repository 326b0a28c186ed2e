package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
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
 * at what that has advertised. A topic that does not exist and would be created on use is found too, here, and so is whatever is named {@code topic://}: who
 * connects is told then by {@link ScalableLookupHandler}.
 */
final class LookupHandler {
    private LookupHandler() {}

    static void handle(Connection c, CommandLookupTopic command) {
        long requestId = command.getRequestId();
        try {
            if (PulsarNames.isScalable(command.getTopic())) {
                // any node answers for the layout, missing or not
                PulsarNames.parseScalable(command.getTopic());
                answer(c, command, new Serving.Here());
                return;
            }
            TopicAccess topics = c.services().topics();
            PulsarNames.Parsed name = PulsarNames.parse(command.getTopic());
            Found found = topics.find(c.principal(), Operation.DESCRIBE, name);
            if (found instanceof Found.Denied) {
                fail(c, requestId, ServerError.AuthorizationError, "Client is not authorized to Lookup");
            } else if (found instanceof Found.Missing m && !m.creatable()) {
                fail(c, requestId, ServerError.TopicNotFound, "Topic " + PulsarNames.text(name) + " not found");
            } else if (found instanceof Found.Allowed allowed) {
                answer(c, command, topics.serving(allowed));
            }
        } catch (TopicException e) {
            fail(c, requestId, ErrorMapping.of(e.reason()), TopicAccess.messageOf(e));
        }
    }

    private static void answer(Connection c, CommandLookupTopic command, Serving serving) {
        long requestId = command.getRequestId();
        String listener = command.hasAdvertisedListenerName() ? command.getAdvertisedListenerName() : "";
        String unknown = "there is no listener named '" + listener + "'";
        switch (serving) {
            case Serving.Here h -> {
                String url = ServiceUrls.of(
                        c.services().config(), listener, c.channel().localAddress());
                connectTo(c, requestId, url, ServerError.MetadataError, unknown);
            }
            case Serving.Elsewhere e
            when ServiceUrls.binaryOf(e.node()) != null ->
                connectTo(c, requestId, ServiceUrls.binaryOf(e.node(), listener), ServerError.MetadataError, unknown);
            default -> fail(c, requestId, ServerError.ServiceNotReady, "the topic is not served now");
        }
    }

    private static void connectTo(
            Connection c, long requestId, @Nullable String url, ServerError otherwise, String message) {
        if (url == null) {
            fail(c, requestId, otherwise, message);
        } else {
            c.send(Commands.newLookupResponse(url, null, true, LookupType.Connect, requestId, false));
        }
    }

    private static void fail(Connection c, long requestId, ServerError error, String message) {
        c.send(Commands.newLookupErrorResponse(error, message, requestId));
    }
}
