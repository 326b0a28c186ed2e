package io.sluice.pulsar.websocket;

import io.sluice.broker.access.Operation;
import io.sluice.broker.identity.KnownClient;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.PulsarGateway;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import io.sluice.pulsar.websocket.SocketPath.Kind;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * The handshake of one socket. What the client asked for is there before the handshake is answered, so that whatever is wrong with it has a status of
 * HTTP.
 *
 * <pre>
 *   connect ─► partitions ─► where they are served ─► attach ─► 101, and the socket is open
 *                                   └─► 307 to another node
 * </pre>
 */
final class Opening {
    /** In place of the URL of another node. */
    private static final String HERE = "here";
    /** For all of it, in milliseconds. */
    private static final long PATIENCE = 30_000;
    /** For a node to be found dead, and another one to recover what it had. */
    private static final long SERVING_PATIENCE = 10_000;

    private final RoutingContext ctx;
    private final Context context;
    private final PulsarGateway gateway;
    private final KnownClient client;
    private final SocketPath path;
    private final Operation operation;
    private final SocketMemory.Share memory;
    private final GatewayLink link;
    private final Socket socket;
    private @Nullable Future<?> patience;
    private boolean answered;

    /** @throws BadRequestException a parameter is not valid */
    Opening(
            RoutingContext ctx,
            PulsarGateway gateway,
            KnownClient client,
            SocketPath path,
            Operation operation,
            SocketMemory.Share memory)
            throws BadRequestException {
        this.ctx = ctx;
        this.context = ctx.vertx().getOrCreateContext();
        this.gateway = gateway;
        this.client = client;
        this.path = path;
        this.operation = operation;
        this.memory = memory;
        this.link = new GatewayLink(
                netty(ctx.request().localAddress()), netty(ctx.request().remoteAddress()));
        this.socket = socket(new Parameters(ctx.queryParams()));
    }

    private static InetSocketAddress netty(SocketAddress address) {
        return new InetSocketAddress(address.hostAddress(), address.port());
    }

    private Socket socket(Parameters given) throws BadRequestException {
        if (path.kind() == Kind.PRODUCER) {
            int most = gateway.services().config().limits().maxMessageBytes();
            return new ProducerSocket(link, ProducerSettings.of(given), most);
        }
        return new ConsumerSocket(
                link,
                path.kind() == Kind.READER
                        ? ConsumerSettings.reader(given)
                        : ConsumerSettings.consumer(path.topic(), path.subscription(), given),
                path.topic(),
                memory);
    }

    /** @param end called once the socket is no more, whatever became of it */
    void start(Runnable end) {
        ctx.request().pause();
        link.channel().closeFuture().addListener(_ -> end.run());
        gateway.connect(link.channel(), client, this::connected);
    }

    // ---- on the link's loop

    private void connected(@Nullable Connection connection) {
        if (connection == null) {
            refuse(503, "there are as many connections as there may be");
            return;
        }
        link.open(connection, socket);
        patience = socket.schedule(() -> refuse(504, "the server does not answer in time"), PATIENCE);
        link.ask(
                request -> Commands.newPartitionMetadataRequest(path.topic(), request, true), new GatewayLink.Answer() {
                    @Override
                    public void done(BaseCommand command) {
                        locate(command.getPartitionMetadataResponse().getPartitions());
                    }

                    @Override
                    public void refused(ServerError error, String message) {
                        refuse(HandshakeErrors.status(error), message);
                    }
                });
    }

    /** @param partitions 0 for a topic that has none */
    private void locate(int partitions) {
        List<String> topics = new ArrayList<>();
        List<PulsarNames.Parsed> names = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            topics.add(path.partition(i));
            names.add(new PulsarNames.Parsed(path.name().topic(), i));
        }
        if (partitions == 0) {
            topics.add(path.topic());
            names.add(path.name());
        }
        link.connection().attached().waits().add(last -> look(topics, names, last), SERVING_PATIENCE);
    }

    /** Whether it is known where all are. */
    private boolean look(List<String> topics, List<PulsarNames.Parsed> names, boolean last) {
        if (answered) {
            return true;
        }
        Set<String> nodes = new HashSet<>();
        for (PulsarNames.Parsed name : names) {
            switch (serving(name)) {
                case Serving.Here _ -> nodes.add(HERE);
                case Serving.Elsewhere e ->
                    nodes.add(ServiceUrls.httpOf(gateway.services().config(), e.node()));
                case Serving.Unserved _ -> {
                    if (last) {
                        refuse(503, "the topic is not served now");
                    }
                    return last;
                }
            }
        }
        if (nodes.size() > 1) {
            refuse(503, "the topic's partitions are on several nodes");
        } else if (nodes.contains(HERE)) {
            attach(topics);
        } else {
            redirect(nodes.iterator().next());
        }
        return true;
    }

    private Serving serving(PulsarNames.Parsed name) {
        TopicAccess access = gateway.services().topics();
        if (!path.persistent()) {
            return access.servingNonPersistent(name);
        }
        return access.find(client.principal(), operation, name) instanceof Found.Allowed there
                ? access.serving(name, there)
                : new Serving.Here(); // which refuses it
    }

    private void attach(List<String> topics) {
        socket.attach(topics, new Socket.Attached() {
            @Override
            public void attached() {
                if (!answered) {
                    settle();
                    context.runOnContext(_ -> upgrade());
                }
            }

            @Override
            public void refused(int status, String why) {
                refuse(status, why);
            }
        });
    }

    private void settle() {
        answered = true;
        if (patience != null) {
            patience.cancel(false);
        }
    }

    private void refuse(int status, String why) {
        if (!answered) {
            settle();
            link.end();
            context.runOnContext(_ -> WebSocketApi.refuse(ctx, status, why));
        }
    }

    /** @param node address that begins with {@code http}; clients that follow a redirect want {@code ws} there */
    private void redirect(String node) {
        String webSocket = "ws" + node.substring("http".length());
        settle();
        link.end();
        context.runOnContext(_ -> {
            ctx.response()
                    .setStatusCode(307)
                    .putHeader(HttpHeaders.LOCATION, webSocket + ctx.request().uri())
                    .end();
            ctx.request().resume();
        });
    }

    // ---- on Vert.x's loop

    private void upgrade() {
        try {
            ctx.request().toWebSocket().onSuccess(this::upgraded).onFailure(_ -> link.execute(link::end));
        } catch (IllegalStateException e) { // the client has gone
            link.execute(link::end);
        }
    }

    private void upgraded(ServerWebSocket upgraded) {
        int largest =
                WebSocketApi.largestMessage(gateway.services().config().limits().maxMessageBytes());
        ClientSocket to = new ClientSocket(upgraded, context, link, memory, largest);
        link.execute(() -> socket.start(to));
        to.start(ctx.request().connection(), socket::text, link::heard, link::end);
    }
}
