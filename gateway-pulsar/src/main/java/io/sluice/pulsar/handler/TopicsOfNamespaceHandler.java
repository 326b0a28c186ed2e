package io.sluice.pulsar.handler;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.topic.TopicAccess.Listed;
import io.sluice.pulsar.topic.TopicPatterns;
import java.util.List;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespace;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespace.Mode;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.topics.TopicList;
import org.apache.pulsar.common.topics.TopicsPattern;

/**
 * GET_TOPICS_OF_NAMESPACE, for subscriptions by pattern: every non-partitioned topic and every partition whose name matches, unless the
 * client knows them by their hash. A pattern that is not evaluated here ({@link TopicPatterns}) is left to the client, which is told so by
 * {@code filtered} not being set. Of non-persistent topics see {@link NonPersistentLookups#listed}.
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
        // the frame's memory is another frame's when this goes on later
        CommandGetTopicsOfNamespace copy = new CommandGetTopicsOfNamespace().copyFrom(command);
        c.services()
                .topics()
                .whenListed(c.principal(), parts[0], parts[1], c::execute, () -> list(c, copy, parts[0], parts[1]));
    }

    private static void list(Connection c, CommandGetTopicsOfNamespace command, String tenant, String namespace) {
        Mode mode = command.hasMode() ? command.getMode() : Mode.PERSISTENT;
        switch (c.services().topics().list(c.principal(), tenant, namespace)) {
            case Listed.Denied d ->
                c.error(
                        command.getRequestId(),
                        ServerError.AuthorizationError,
                        "Client is not authorized to GetTopicsOfNamespace");
            case Listed.Names l ->
                answer(c, command, NonPersistentLookups.listed(c, mode, tenant, namespace, l.names()));
        }
    }

    private static void answer(Connection c, CommandGetTopicsOfNamespace command, List<String> names) {
        TopicsPattern pattern = command.hasTopicsPattern() ? TopicPatterns.compile(command.getTopicsPattern()) : null;
        List<String> matching = pattern == null ? names : TopicList.filterTopics(names, pattern);
        String hash = TopicList.calculateHash(matching);
        boolean changed = !command.hasTopicsHash() || !command.getTopicsHash().equals(hash);
        c.send(Commands.serializeWithSize(Commands.newGetTopicsOfNamespaceResponseCommand(
                changed ? matching : List.of(), hash, pattern != null, changed, command.getRequestId())));
    }
}
