package io.sluice.pulsar.websocket;

import io.sluice.broker.access.Operation;
import io.sluice.broker.identity.KnownClient;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.PulsarGateway;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.websocket.SocketPath.Kind;
import io.vertx.core.Context;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
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
 *   connect ─► partitions ─► links to the nodes that serve them ─► attach ─► 101, and the socket is open
 * </pre>
 */
final class Opening {
    /** For all of it, in milliseconds. */
    private static final long PATIENCE = 30_000;

    private final RoutingContext ctx;
    private final Context context;
    private final PulsarGateway gateway;
    private final KnownClient client;
    private final SocketPath path;
    private final Operation operation;
    private final SocketMemory.Share memory;
    private final Links links;
    private final Socket socket;
    private @Nullable Future<?> patience;
    private boolean answered;

    /** @throws BadRequestException a parameter is not valid */
    Opening(
            RoutingContext ctx,
            PulsarGateway gateway,
            OtherGateways others,
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
        this.links = new Links(
                netty(ctx.request().localAddress()),
                netty(ctx.request().remoteAddress()),
                gateway.services(),
                others,
                client,
                memory);
        this.socket = socket(new Parameters(ctx.queryParams()));
    }

    private static InetSocketAddress netty(SocketAddress address) {
        return new InetSocketAddress(address.hostAddress(), address.port());
    }

    private Socket socket(Parameters given) throws BadRequestException {
        if (path.kind() == Kind.PRODUCER) {
            int most = gateway.services().config().limits().maxMessageBytes();
            return new ProducerSocket(links, ProducerSettings.of(given), most);
        }
        return new ConsumerSocket(
                links,
                path.kind() == Kind.READER
                        ? ConsumerSettings.reader(given)
                        : ConsumerSettings.consumer(path.topic(), path.subscription(), given),
                path.topic(),
                memory);
    }

    /** @param end called once the socket is no more, whatever became of it */
    void start(Runnable end) {
        ctx.request().pause();
        links.here().channel().closeFuture().addListener(_ -> end.run());
        gateway.connect(links.here().channel(), client, this::connected);
    }

    // ---- on the links' loop

    private void connected(@Nullable Connection connection) {
        if (connection == null) {
            refuse(503, "there are as many connections as there may be");
            return;
        }
        links.open(connection, socket);
        patience = socket.schedule(() -> refuse(504, "the server does not answer in time"), PATIENCE);
        links.here()
                .ask(
                        request -> Commands.newPartitionMetadataRequest(path.topic(), request, true),
                        new GatewayLink.Answer() {
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
        links.place(names, path.persistent(), operation, new Links.Placed() {
            @Override
            public void placed(List<GatewayLink> found) {
                attach(topics, found);
            }

            @Override
            public void refused(int status, String why) {
                refuse(status, why);
            }
        });
    }

    private void attach(List<String> topics, List<GatewayLink> found) {
        if (answered) {
            return;
        }
        socket.attach(topics, found, new Socket.Attached() {
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
            links.end();
            context.runOnContext(_ -> WebSocketApi.refuse(ctx, status, why));
        }
    }

    // ---- on Vert.x's loop

    private void upgrade() {
        try {
            ctx.request().toWebSocket().onSuccess(this::upgraded).onFailure(_ -> links.execute(links::end));
        } catch (IllegalStateException e) { // the client has gone
            links.execute(links::end);
        }
    }

    private void upgraded(ServerWebSocket upgraded) {
        int largest =
                WebSocketApi.largestMessage(gateway.services().config().limits().maxMessageBytes());
        ClientSocket to = new ClientSocket(upgraded, context, links, memory, largest);
        boolean starts = links.execute(() -> socket.start(to)); // before the first text
        to.start(ctx.request().connection(), socket::text, links::heard, links::end);
        if (!starts) {
            to.close(Socket.GOING_AWAY, "the server stops");
        }
    }
}
