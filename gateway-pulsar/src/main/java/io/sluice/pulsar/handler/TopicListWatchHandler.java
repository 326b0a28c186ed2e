package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.scalable.TopicListWatches;
import io.sluice.pulsar.topic.TopicLists;
import io.sluice.pulsar.topic.TopicPatterns;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.common.api.proto.CommandWatchTopicList;
import org.apache.pulsar.common.api.proto.CommandWatchTopicListClose;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.topics.TopicList;
import org.apache.pulsar.common.topics.TopicsPattern;
import org.jspecify.annotations.Nullable;

/**
 * WATCH_TOPIC_LIST: the topics of a namespace whose names match a pattern, unless the client knows them by their hash, and then what
 * comes and goes, until WATCH_TOPIC_LIST_CLOSE or the end of the connection. The id of another watch answers the list of that as it is now,
 * so that a client makes sure that it has missed nothing.
 *
 * <p>A pattern that is not evaluated here ({@link TopicPatterns}), and more watches than there is memory for, are refused, and clients
 * look at the whole list from time to time, as they do where Pulsar's broker refuses.
 */
final class TopicListWatchHandler {
    /** A client has one for each consumer with a pattern. */
    static final int MAX_WATCHES = 1_000;

    private final Connection connection;
    private final long id;
    private final TopicsPattern pattern;
    private final TopicListWatches.Watch watch;

    /** Names that the client knows, by topic. */
    private final Map<TopicName, List<String>> told = new HashMap<>();

    private TopicListWatchHandler(Connection connection, long id, String[] namespace, TopicsPattern pattern) {
        this.connection = connection;
        this.id = id;
        this.pattern = pattern;
        Runnable tell = () -> connection.execute(this::tell);
        this.watch = connection.services().topicLists().add(namespace[0], namespace[1], tell);
    }

    static void handle(Connection c, CommandWatchTopicList command) {
        long requestId = command.getRequestId();
        String[] namespace = command.getNamespace().split("/", -1);
        if (namespace.length != 2
                || !PulsarNames.isNamedEntity(namespace[0])
                || !PulsarNames.isNamedEntity(namespace[1])) {
            c.error(
                    requestId,
                    ServerError.InvalidTopicName,
                    "a namespace is tenant/namespace, not " + command.getNamespace());
            return;
        }
        if (!c.services().topics().allowsOnNamespace(c.principal(), Operation.DESCRIBE, namespace[0], namespace[1])) {
            c.error(requestId, ServerError.AuthorizationError, "Client is not authorized to WatchTopicList");
            return;
        }
        TopicsPattern pattern = TopicPatterns.compile(command.getTopicsPattern());
        if (pattern == null) {
            c.error(requestId, ServerError.NotAllowedError, "the pattern is too long, or no regular expression of RE2");
            return;
        }
        begin(c, command, namespace, pattern);
    }

    private static void begin(Connection c, CommandWatchTopicList command, String[] namespace, TopicsPattern pattern) {
        long id = command.getWatcherId();
        TopicListWatches.Watch before = c.attached().topicListWatches().remove(id);
        if (before != null) {
            before.close();
        } else if (c.attached().topicListWatches().size() >= MAX_WATCHES) {
            c.error(
                    command.getRequestId(),
                    ServerError.NotAllowedError,
                    "a connection watches " + MAX_WATCHES + " lists of topics at most");
            return;
        }
        TopicListWatchHandler handler = new TopicListWatchHandler(c, id, namespace, pattern);
        c.attached().topicListWatches().put(id, handler.watch);
        handler.answer(command.getRequestId(), command.hasTopicsHash() ? command.getTopicsHash() : null);
    }

    static void handle(Connection c, CommandWatchTopicListClose command) {
        TopicListWatches.Watch watch = c.attached().topicListWatches().remove(command.getWatcherId());
        if (watch != null) {
            watch.close();
        }
        c.send(Commands.newSuccess(command.getRequestId()));
    }

    private void answer(long requestId, @Nullable String known) {
        for (Topic topic : connection.services().topics().topics(watch.tenant(), watch.namespace())) {
            know(topic.name(), names(topic));
        }
        if (!watch.knows(told.size())) {
            connection.attached().topicListWatches().remove(id);
            watch.close();
            connection.error(requestId, ServerError.NotAllowedError, "too many topics are watched");
            return;
        }
        List<String> names = all();
        String hash = TopicList.calculateHash(names);
        connection.send(Commands.serializeWithSize(
                Commands.newWatchTopicListSuccess(requestId, id, hash, hash.equals(known) ? List.of() : names)));
    }

    private List<String> all() {
        return told.values().stream().flatMap(Collection::stream).toList();
    }

    private void know(TopicName topic, List<String> names) {
        if (names.isEmpty()) {
            told.remove(topic);
        } else {
            told.put(topic, names);
        }
    }

    /** Names under which the client sees the topic; none where it does not. */
    private List<String> names(@Nullable Topic topic) {
        return topic == null ? List.of() : TopicList.filterTopics(TopicLists.partitionNames(topic), pattern);
    }

    /** On the event loop, after a change. */
    private void tell() {
        if (connection.attached().topicListWatches().get(id) != watch || !connection.isOpen()) {
            return;
        }
        List<String> added = new ArrayList<>();
        List<String> deleted = new ArrayList<>();
        for (TopicName topic : watch.take()) {
            List<String> before = told.getOrDefault(topic, List.of());
            List<String> now = names(connection.services().topics().listed(topic));
            addMissing(now, before, added);
            addMissing(before, now, deleted);
            know(topic, now);
        }
        if (!added.isEmpty() || !deleted.isEmpty()) {
            watch.knows(told.size());
            connection.send(Commands.serializeWithSize(
                    Commands.newWatchTopicUpdate(id, added, deleted, TopicList.calculateHash(all()))));
        }
    }

    private static void addMissing(List<String> names, List<String> in, List<String> to) {
        Set<String> there = Set.copyOf(in);
        names.stream().filter(name -> !there.contains(name)).forEach(to::add);
    }
}
