package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.Identified;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.KnownClient;
import io.sluice.broker.memory.ConnectionMemory;
import io.sluice.broker.memory.MeasuredReads;
import io.sluice.pulsar.dispatch.ConsumerOutlet;
import io.sluice.pulsar.producer.ProducerOutlet;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.services.IntroducedClients;
import io.sluice.pulsar.wire.FrameDecoder;
import io.sluice.pulsar.wire.MalformedCommandException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: its life, and commands from frames to their handlers. Event loop only, but for {@link #send}, {@link #execute},
 * {@link #error} and the outlets, which any thread may use.
 *
 * <pre>
 *   frames ─► Connection ─► CommandRouter ─► handlers ─┬─► Attachments: producers, consumers, watches
 *                                                      └─► Publishing: sends ─► container's loop
 *   socket ◄─ Outbound ◄─ receipts, answers, and what partitions send through ClientOutlet
 * </pre>
 */
public final class Connection extends ChannelInboundHandlerAdapter
        implements FrameDecoder.Frames, ConnectionMemory.Reader {
    /** Version that a client over WebSocket has, whichever node took its socket. */
    public static final String WEB_SOCKET = "WebSocket";

    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** Frame limit before CONNECT: names, versions, credentials. */
    private static final int HANDSHAKE_FRAME = 64 * 1024;

    private final Channel channel;
    private final GatewayServices services;
    private final CommandRouter router;
    private final Handshake handshake = new Handshake();
    private final Outbound out;
    private final Redirects redirects;
    private final Attachments attached;
    private final ClientOutlet outlet;
    private final PendingPublishes publishes;
    private final ClientTransactions transactions;
    private final Publishing publishing;
    private final ConnectionMemory memory;
    private final KeepAlive keepAlive;
    private final Login login;
    private InetAddress address;
    private final ConnectionRates rates;
    /** When the first command of this read was taken up, where that is wanted. */
    private long began = ConnectionRates.NOT_TIMED;
    /** Counted among the connections of its address. */
    private boolean entered;

    public Connection(Channel channel, GatewayServices services, CommandRouter router) {
        this.channel = channel;
        this.services = services;
        this.router = router;
        this.rates = new ConnectionRates(services.rates(), this::principal, services.meters());
        this.out = new Outbound(channel, services.config().limits().outboundBytes(), rates);
        this.address = channel.remoteAddress() instanceof InetSocketAddress socket
                ? socket.getAddress()
                : InetAddress.getLoopbackAddress();
        this.login = new Login(channel, out, services, address.getHostAddress());
        NewPlaces places = new NewPlaces(services);
        this.redirects = new Redirects(out, handshake, services.migration());
        this.attached =
                new Attachments(out, new CountedConsumers(login), new ClusterWaits(channel, out), places, redirects);
        this.outlet = new ClientOutlet(channel, out, attached, handshake, places, redirects);
        this.publishes = new PendingPublishes(
                channel, services.budget(), services.config().limits().pendingSends(), rates);
        this.transactions = new ClientTransactions(services, this::principal);
        this.publishing = new Publishing(out, attached, handshake, publishes, services.meters(), transactions);
        this.memory = new ConnectionMemory(services.budget(), this);
        this.keepAlive =
                new KeepAlive(channel, out, handshake, services.config().limits());
        RecvByteBufAllocator usual = channel.config().getRecvByteBufAllocator();
        channel.config().setRecvByteBufAllocator(new MeasuredReads(usual, memory));
    }

    public GatewayServices services() {
        return services;
    }

    public Channel channel() {
        return channel;
    }

    /** @param ofClient as the client calls itself and its version */
    public void connected(int version, String ofClient) {
        handshake.done(version, ofClient);
    }

    /**
     * Goes on with a client that another node has let in, which connects for it. The client counts by its own address.
     *
     * @return false if that has too many connections; this one is closed
     */
    public boolean adopt(IntroducedClients.Introduced client) {
        InetAddress own = client.address().getAddress();
        Identities guard = services.config().security().guard();
        if (guard != null) {
            if (!guard.connections().enter(own)) {
                login.close(ServerError.TooManyRequests, "the client's address has too many connections");
                return false;
            }
            guard.connections().left(address);
        }
        address = own;
        outlet.actFor(client.address());
        login.adopt(new KnownClient(services.config().security(), client.principal(), Identified.NEVER, null));
        return true;
    }

    /** Principal of this connection. */
    public Principal principal() {
        return login.principal();
    }

    /** The client as a user of transactions. */
    public ClientTransactions transactions() {
        return transactions;
    }

    /** How the client shows who it is. */
    public Login login() {
        return login;
    }

    /** Whether the client has said CONNECT. */
    public boolean isConnected() {
        return handshake.isDone();
    }

    /** Whether the connection is still open. Any thread. */
    public boolean isOpen() {
        return channel.isActive();
    }

    /** Producers, consumers and watches of this connection. */
    public Attachments attached() {
        return attached;
    }

    /** Ways to another cluster. */
    public Redirects redirects() {
        return redirects;
    }

    public Publishing publishing() {
        return publishing;
    }

    /** This connection as a consumer's partition sees it. */
    public ConsumerOutlet consumerOutlet() {
        return outlet;
    }

    /** This connection as a producer's partition sees it. */
    public ProducerOutlet producerOutlet() {
        return outlet;
    }

    // ---- life

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (services.meters().opened() > services.config().limits().connections()) {
            ctx.close();
            return;
        }
        Identities guard = services.config().security().guard();
        if (guard != null) {
            entered = guard.connections().enter(address);
            if (!entered) {
                LOG.debug("closing the connection of {}: its address has too many", outlet.address());
                ctx.close();
                return;
            }
        }
        keepAlive.start();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        services.meters().closed();
        keepAlive.stop();
        login.stop();
        Identities guard = services.config().security().guard();
        if (guard != null && entered) {
            guard.connections().left(address);
        }
        memory.close();
        publishing.detachAll();
        attached.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("closing the connection of {}: {}", outlet.address(), cause.toString());
        login.failed(cause);
        ctx.close();
    }

    /** @param rules whether rules have changed; else only the login is looked at */
    void checkRights(boolean rules) {
        if (!channel.isActive() || !isConnected()) {
            return;
        }
        if (login.isIdentityGone()) {
            login.close(ServerError.AuthenticationError, "the user is there no more, or the certificate is revoked");
        } else if (rules && !attached.isAllowed(principal(), services.topics())) {
            login.close(ServerError.AuthorizationError, "the client has lost a right that it used on this connection");
        }
    }

    // ---- in

    @Override
    public int maxFrameBytes() {
        return isConnected()
                ? services.config().limits().maxMessageBytes() + Commands.MESSAGE_SIZE_FRAME_PADDING
                : HANDSHAKE_FRAME;
    }

    @Override
    public void frame(ByteBuf in, int end) {
        keepAlive.heard();
        out.reading(true);
        if (began == ConnectionRates.NOT_TIMED && isConnected()) {
            began = rates.begin();
        }
        int size = in.readInt();
        if (size < 1 || size > end - in.readerIndex()) {
            throw new MalformedCommandException("command of " + size + " bytes in a frame of less");
        }
        router.route(this, CommandParser.get().parse(in, size), in, end);
    }

    @Override
    public void received(int bytes, int frames, int largest, FrameDecoder.Left left) {
        memory.received(bytes);
        memory.completed(frames, largest);
        // what is not read for other reasons lacks nothing
        publishes.memory(memory.holds(left.held(), publishes.pausesReading() ? 0 : left.missing()));
    }

    @Override
    public void readOn() {
        execute(() -> {
            if (channel.isActive()) {
                publishes.memory(memory.again());
            }
        });
    }

    @Override
    public void tooSlow() {
        execute(() -> {
            LOG.debug(
                    "closing the connection of {}: its frame stopped arriving, and its memory is needed",
                    outlet.address());
            channel.close();
        });
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        out.reading(false);
        publishes.submit();
        out.flush();
        if (began != ConnectionRates.NOT_TIMED) {
            long wait = rates.worked(began);
            began = ConnectionRates.NOT_TIMED;
            if (wait > 0) {
                publishes.pause(wait);
            }
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        publishes.updateAutoRead();
        out.resumeNext();
    }

    // ---- out

    /** Any thread. Ownership passes. What the event loop sends in its turn goes before what other threads have queued. */
    public void send(ByteBuf frame) {
        out.send(frame);
    }

    /** Any thread. */
    public void error(long requestId, ServerError error, String message) {
        out.send(Commands.newError(requestId, error, message));
    }

    /** Begins to subscribe a consumer; false if its user may have no other, which the client is told. */
    public boolean beginConsumer(long requestId, long consumerId) {
        String full = attached.beginConsumer(consumerId, requestId);
        if (full != null) {
            refuseConsumer(requestId, consumerId, ServerError.NotAllowedError, full);
        }
        return full == null;
    }

    /** Answers a SUBSCRIBE that made no consumer. */
    public void refuseConsumer(long requestId, long consumerId, ServerError error, String message) {
        error(requestId, error, message);
        if (handshake.believesRefusedConsumers()) {
            send(Commands.newCloseConsumer(consumerId, -1, null, null));
        }
    }

    /** Any thread: runs on the event loop. */
    public void execute(Runnable task) {
        out.execute(task);
    }
}
