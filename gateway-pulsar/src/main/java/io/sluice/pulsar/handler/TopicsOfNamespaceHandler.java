package io.sluice.pulsar.handler;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.topic.TopicLists;
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
        List<String> names =
                none ? List.of() : TopicLists.ofNamespace(c.services().catalogue(), parts[0], parts[1]);
        c.send(Replies.topics(command.getRequestId(), names));
    }
}
