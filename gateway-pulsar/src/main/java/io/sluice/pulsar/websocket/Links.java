package io.sluice.pulsar.websocket;

import io.netty.channel.EventLoop;
import io.sluice.broker.access.Operation;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.identity.KnownClient;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Links of one socket to the gateways that serve what it uses. The one to the gateway here stands for the client, and when it ends all do; those to
 * other nodes are opened when something is there. On the loop of the link here, but for {@link #execute}.
 */
final class Links implements GatewayLink.Holder {
    /** For a node to be found dead, and another one to recover what it had. */
    private static final long SERVING_PATIENCE = 10_000;

    private final LocalLink here;
    private final InetSocketAddress address;
    private final GatewayServices services;
    private final OtherGateways others;
    private final KnownClient client;
    private final SocketMemory.Share memory;
    private final Map<Integer, NodeLink> byNode = new HashMap<>();
    /** Links that want no commands now. */
    private final Set<GatewayLink> full = new HashSet<>();

    private @Nullable Session session;
    private boolean ended;

    /**
     * @param local where the client came to
     * @param address of the client
     * @param memory of the socket
     */
    Links(
            InetSocketAddress local,
            InetSocketAddress address,
            GatewayServices services,
            OtherGateways others,
            KnownClient client,
            SocketMemory.Share memory) {
        this.here = new LocalLink(this, local, address);
        this.address = address;
        this.services = services;
        this.others = others;
        this.client = client;
        this.memory = memory;
    }

    /** Session that uses the links. */
    interface Session extends GatewayLink.Events {
        /** The gateway asks for a sign of life of the client. */
        void ping();

        /** @param on whether the client is to be read */
        void reads(boolean on);

        /** There is no memory for what other nodes send. */
        void overloaded();

        /** @param why another node has closed its connection; null if it has not said */
        void nodeLost(@Nullable String why);

        /** @param why the gateway has closed the connection of the client; null if it has not said */
        void closed(@Nullable String why);
    }

    /** Answer to {@link #place}; one of the two, once. */
    interface Placed {
        /** @param links of the names, in their order */
        void placed(List<GatewayLink> links);

        void refused(int status, String why);
    }

    LocalLink here() {
        return here;
    }

    /** @param to gets what comes from now on */
    void open(Connection with, Session to) {
        session = to;
        here.open(with, to);
    }

    EventLoop loop() {
        return here.loop();
    }

    /** Any thread: runs on the loop, unless that has ended; then false. A task that fails ends the socket. */
    boolean execute(Runnable task) {
        return here.execute(task);
    }

    /** Messages are wanted again. */
    void resume() {
        here.resume();
        byNode.values().forEach(GatewayLink::resume);
    }

    /** Ends them all. */
    void end() {
        here.end();
    }

    /** The client has shown a sign of life. */
    void heard() {
        here.pong();
    }

    /** Has other nodes give signs of life. */
    void look() {
        List.copyOf(byNode.values()).forEach(NodeLink::look);
    }

    /** Whether all want commands. */
    boolean reads() {
        return full.isEmpty();
    }

    // ---- where topics are

    /**
     * Connects to the nodes that serve these; waits for those that are not served just now.
     *
     * @param operation that the client wants to do; what it may not is left to the gateway here, which refuses it
     */
    void place(List<Parsed> names, boolean persistent, Operation operation, Placed then) {
        here.connection()
                .attached()
                .waits()
                .add(last -> look(names, persistent, operation, then, last), SERVING_PATIENCE);
    }

    /** Whether it is known where all are. */
    private boolean look(List<Parsed> names, boolean persistent, Operation operation, Placed then, boolean last) {
        List<@Nullable ClusterNode> nodes = new ArrayList<>();
        for (Parsed name : names) {
            switch (serving(name, persistent, operation)) {
                case Serving.Here _ -> nodes.add(null);
                case Serving.Elsewhere e -> nodes.add(e.node());
                case Serving.Unserved _ -> {
                    if (last) {
                        then.refused(503, "the topic is not served now");
                    }
                    return last;
                }
            }
        }
        connect(nodes, then);
        return true;
    }

    private Serving serving(Parsed name, boolean persistent, Operation operation) {
        TopicAccess access = services.topics();
        if (!persistent) {
            return access.servingNonPersistent(name);
        }
        return access.find(client.principal(), operation, name) instanceof Found.Allowed there
                ? access.serving(name, there)
                : new Serving.Here(); // which refuses it
    }

    /** @param nodes null for this one */
    private void connect(List<@Nullable ClusterNode> nodes, Placed then) {
        List<GatewayLink> links = new ArrayList<>();
        Set<NodeLink> used = new LinkedHashSet<>();
        for (ClusterNode node : nodes) {
            if (node == null) {
                links.add(here);
            } else {
                NodeLink link = link(node);
                links.add(link);
                used.add(link);
            }
        }
        if (used.isEmpty()) {
            then.placed(links);
            return;
        }
        var all = new AllOpen(used.size(), links, then);
        used.forEach(link -> link.whenOpen(all));
    }

    private NodeLink link(ClusterNode node) {
        NodeLink known = byNode.get(node.id());
        if (known != null && !known.isEnded()) {
            return known;
        }
        NodeLink made = new NodeLink(this, node, loop(), memory);
        made.open(Objects.requireNonNull(session));
        byNode.put(node.id(), made);
        made.connect(others, services, client, address);
        return made;
    }

    private static final class AllOpen implements NodeLink.Opened {
        private final List<GatewayLink> links;
        private final Placed then;
        private int missing;
        private boolean failed;

        AllOpen(int missing, List<GatewayLink> links, Placed then) {
            this.missing = missing;
            this.links = links;
            this.then = then;
        }

        @Override
        public void opened() {
            missing--;
            if (missing == 0 && !failed) {
                then.placed(links);
            }
        }

        @Override
        public void failed(String why) {
            if (!failed) {
                failed = true;
                then.refused(503, why);
            }
        }
    }

    // ---- from the links

    @Override
    public void ping(GatewayLink link) {
        if (link == here && session != null) {
            session.ping();
        } else {
            link.pong();
        }
    }

    @Override
    public void reads(GatewayLink link, boolean on) {
        boolean before = reads();
        if (on) {
            full.remove(link);
        } else {
            full.add(link);
        }
        if (session != null && before != reads()) {
            session.reads(reads());
        }
    }

    @Override
    public void overloaded() {
        if (session != null) {
            session.overloaded();
        }
    }

    @Override
    public void closed(GatewayLink link, @Nullable String why) {
        if (link == here) {
            ended = true;
            List.copyOf(byNode.values()).forEach(GatewayLink::end);
            if (session != null) {
                session.closed(why);
            }
            return;
        }
        byNode.values().remove(link);
        full.remove(link);
        if (!ended && session != null) {
            session.nodeLost(why);
        }
    }
}
