package io.sluice.pulsar.handler;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.topic.TopicAccess.Listed;
import io.sluice.pulsar.wire.Replies;
import java.util.List;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespace;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespace.Mode;
import org.apache.pulsar.common.api.proto.ServerError;

/**
 * GET_TOPICS_OF_NAMESPACE, for subscriptions by pattern: every non-partitioned topic and every partition. The pattern is
 * left to the client, which is told so by {@code filtered} not being set; non-persistent topics do not exist.
 */
final class TopicsOfNamespaceHandler {
    private TopicsOfNamespaceHandler() {}

    static void handle(Connection c, CommandGetTopicsOfNamespace command) {
        String[] parts = command.getNamespace().split("/", -1);
        if (parts.length != 2 || !PulsarNames.isNamedEntity(parts[0]) || !PulsarNames.isNamedEntity(parts[1])) {
            c.error(
                    command.getRequestId(),
                    ServerError.InvalidTopicName,
                    "a namespace is tenant/namespace, not " + command.getNamespace());
            return;
        }
        boolean none = command.hasMode() && command.getMode() == Mode.NON_PERSISTENT;
        switch (c.services().topics().list(c.principal(), parts[0], parts[1])) {
            case Listed.Denied d ->
                c.error(
                        command.getRequestId(),
                        ServerError.AuthorizationError,
                        "Client is not authorized to GetTopicsOfNamespace");
            case Listed.Names l -> c.send(Replies.topics(command.getRequestId(), none ? List.of() : l.names()));
        }
    }
}
