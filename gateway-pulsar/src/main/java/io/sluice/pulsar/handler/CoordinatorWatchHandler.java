package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.scalable.ClientWatch;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.api.proto.CommandWatchTcAssignments;
import org.apache.pulsar.common.api.proto.CommandWatchTcAssignmentsClose;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * WATCH_TC_ASSIGNMENTS: which transaction coordinators there are and at which node each is, now, and again whenever that has changed,
 * until WATCH_TC_ASSIGNMENTS_CLOSE or the end of the connection. All are counted; one that no node is known to serve is not listed until
 * one is. A watch with the id of another takes its place. Clients of Pulsar 5 find coordinators so; older ones look up the topic
 * {@link TopicAccess#COORDINATORS}.
 *
 * <p>Differences on purpose: a client has {@link #MAX_WATCHES} watches on a connection, and is told only what is new to it.
 */
final class CoordinatorWatchHandler {
    /** A client has one. */
    static final int MAX_WATCHES = 10;

    private final Connection connection;
    private final long id;

    /** Where the coordinators are that are served, as the client was told. */
    private @Nullable Map<Integer, String> told;

    private @Nullable ClientWatch watch;

    private CoordinatorWatchHandler(Connection connection, long id) {
        this.connection = connection;
        this.id = id;
    }

    static void handle(Connection c, CommandWatchTcAssignments command) {
        long id = command.getWatchId();
        if (coordinators(c) instanceof Found.Denied) {
            fail(c, id, ServerError.AuthorizationError, "Client is not authorized to WatchTcAssignments");
        } else if (!c.attached().coordinatorWatches().containsKey(id)
                && c.attached().coordinatorWatches().size() >= MAX_WATCHES) {
            fail(
                    c,
                    id,
                    ServerError.NotAllowedError,
                    "a connection watches transaction coordinators " + MAX_WATCHES + " times at most");
        } else {
            new CoordinatorWatchHandler(c, id).begin();
        }
    }

    static void handle(Connection c, CommandWatchTcAssignmentsClose command) {
        ClientWatch watch = c.attached().coordinatorWatches().remove(command.getWatchId());
        if (watch != null) {
            watch.close();
        }
    }

    private static Found coordinators(Connection c) {
        Parsed name = new Parsed(TopicAccess.COORDINATORS, -1);
        return c.services().topics().find(c.principal(), Operation.DESCRIBE, name);
    }

    private void begin() {
        // first the watch, then the look: a change in between is told twice rather than not at all
        watch = connection.services().coordinators().add(() -> connection.execute(this::tell));
        ClientWatch before = connection.attached().coordinatorWatches().put(id, watch);
        if (before != null) {
            before.close();
        }
        look();
    }

    /** On the event loop, after a change. */
    private void tell() {
        ClientWatch mine = watch;
        if (mine != null && connection.attached().coordinatorWatches().get(id) == mine && connection.isOpen()) {
            mine.telling();
            look();
        }
    }

    private void look() {
        if (!(coordinators(connection) instanceof Found.There there)) {
            connection.attached().coordinatorWatches().remove(id);
            if (watch != null) {
                watch.close();
            }
            fail(connection, id, ServerError.ServiceNotReady, "there are no transaction coordinators now");
            return;
        }
        Map<Integer, String> now = new HashMap<>();
        int all = there.topic().partitions().size();
        for (int coordinator = 0; coordinator < all; coordinator++) {
            String url = urlOf(there.topic(), coordinator);
            if (url != null) {
                now.put(coordinator, url);
            }
        }
        if (!now.equals(told)) {
            told = now;
            Map<Integer, String[]> urls = new HashMap<>();
            now.forEach((coordinator, url) ->
                    urls.put(coordinator, new String[] {ServiceUrls.plain(url), ServiceUrls.secure(url)}));
            connection.send(Commands.newWatchTcAssignmentsSnapshot(id, all, urls));
        }
    }

    private @Nullable String urlOf(Topic topic, int coordinator) {
        return switch (connection.services().topics().serving(new Found.Partition(topic, coordinator))) {
            case Serving.Here here ->
                ServiceUrls.of(
                        connection.services().config(), "", connection.channel().localAddress());
            case Serving.Elsewhere e ->
                ServiceUrls.binaryOf(connection.services().config(), e.node());
            case Serving.Unserved n -> null;
        };
    }

    private static void fail(Connection c, long id, ServerError error, String message) {
        c.send(Commands.newWatchTcAssignmentsError(id, error, message));
    }
}
