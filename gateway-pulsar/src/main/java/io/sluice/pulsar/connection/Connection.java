package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.collection.LongObjectHashMap;
import io.sluice.broker.access.Principal;
import io.sluice.broker.memory.ConnectionMemory;
import io.sluice.broker.memory.MeasuredReads;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.ConsumerOutlet;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.producer.ProducerOutlet;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.scalable.StreamMember;
import io.sluice.pulsar.scalable.Watch;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.wire.FrameDecoder;
import io.sluice.pulsar.wire.MalformedCommandException;
import io.sluice.pulsar.wire.OutFrame;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection. Event loop only, but for the side of the outlets, {@link #send}, {@link #post} and
 * {@link #execute}, which any thread may call.
 *
 * <p>Appends of one socket read are submitted together; answers of one turn go out with one flush.
 */
public final class Connection extends ChannelInboundHandlerAdapter
        implements FrameDecoder.Frames, ConnectionMemory.Reader, ConsumerOutlet, ProducerOutlet {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** Frame limit before CONNECT: names, versions, credentials. */
    private static final int HANDSHAKE_FRAME = 64 * 1024;

    /** Receipts of about fifty sends. */
    private static final int GATHERED_BYTES = 2048;

    private final Channel channel;
    private final GatewayServices services;
    private final CommandRouter router;
    private final Outbox outbox;
    private final PausedConsumers pausedConsumers;
    private final PendingPublishes publishes;
    private final ConnectionMemory memory;
    private final KeepAlive keepAlive;
    private final LongObjectHashMap<ClientProducer> producers = new LongObjectHashMap<>(4);
    private final LongObjectHashMap<ClientConsumer> consumers = new LongObjectHashMap<>(4);
    private final LongObjectHashMap<Long> producersToCome = new LongObjectHashMap<>(4);
    private final LongObjectHashMap<Long> consumersToCome = new LongObjectHashMap<>(4);
    private final Set<Long> consumersGivenUp = new HashSet<>();
    private final FinalRefusals finalRefusals = new FinalRefusals();
    private final LateAcks lateAcks = new LateAcks();
    private final LongObjectHashMap<Watch> layoutWatches = new LongObjectHashMap<>(1);
    private final LongObjectHashMap<Watch> coordinatorWatches = new LongObjectHashMap<>(1);
    private final LongObjectHashMap<StreamMember> streamMembers = new LongObjectHashMap<>(1);
    private int protocolVersion = -1;
    private String clientVersion = "";
    /** Until there is authentication: any client. */
    private final Principal principal = Principal.ANONYMOUS;

    private boolean reading;
    /** Small frames that go out with the next flush. */
    private @Nullable ByteBuf gathered;

    public Connection(Channel channel, GatewayServices services, CommandRouter router) {
        this.channel = channel;
        this.services = services;
        this.router = router;
        this.outbox = new Outbox(channel, services.config().limits().outboundBytes(), this::flush);
        this.pausedConsumers = new PausedConsumers(outbox);
        this.publishes = new PendingPublishes(
                channel, services.budget(), services.config().limits().pendingSends());
        this.memory = new ConnectionMemory(services.budget(), this);
        this.keepAlive = new KeepAlive(this, channel, services.config().limits());
        RecvByteBufAllocator usual = channel.config().getRecvByteBufAllocator();
        channel.config().setRecvByteBufAllocator(new MeasuredReads(usual, memory));
    }

    public GatewayServices services() {
        return services;
    }

    public Channel channel() {
        return channel;
    }

    /** -1 before CONNECT. */
    public int protocolVersion() {
        return protocolVersion;
    }

    /** @param ofClient as the client calls itself and its version */
    public void connected(int version, String ofClient) {
        protocolVersion = version;
        clientVersion = ofClient;
    }

    /** Principal of this connection. */
    public Principal principal() {
        return principal;
    }

    public boolean isConnected() {
        return protocolVersion >= 0;
    }

    /** Request ids of producers being created, by producer id. */
    public LongObjectHashMap<Long> producersToCome() {
        return producersToCome;
    }

    /** Request ids of consumers being subscribed, by consumer id. */
    public LongObjectHashMap<Long> consumersToCome() {
        return consumersToCome;
    }

    /** Ids of consumers that were closed while they were being subscribed, until that has come to its end. */
    public Set<Long> consumersGivenUp() {
        return consumersGivenUp;
    }

    public LongObjectHashMap<ClientProducer> producers() {
        return producers;
    }

    public LongObjectHashMap<ClientConsumer> consumers() {
        return consumers;
    }

    public FinalRefusals finalRefusals() {
        return finalRefusals;
    }

    /** Acknowledgements for consumers whose partitions have moved away. Event loop only. */
    public LateAcks lateAcks() {
        return lateAcks;
    }

    /** Watches of scalable topics' layouts, by the client's session id. */
    public LongObjectHashMap<Watch> layoutWatches() {
        return layoutWatches;
    }

    /** Watches of the transaction coordinators' places, by the client's id. */
    public LongObjectHashMap<Watch> coordinatorWatches() {
        return coordinatorWatches;
    }

    /** Stream consumers of scalable topics, by the client's id of them. */
    public LongObjectHashMap<StreamMember> streamMembers() {
        return streamMembers;
    }

    // ---- life

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (services.meters().opened() > services.config().limits().connections()) {
            ctx.close();
            return;
        }
        keepAlive.start();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        services.meters().closed();
        keepAlive.stop();
        memory.close();
        publishes.submit();
        for (ClientProducer p : new ArrayList<>(producers.values())) {
            detach(p, null);
        }
        for (ClientConsumer c : new ArrayList<>(consumers.values())) {
            detach(c, null);
        }
        producers.clear();
        consumers.clear();
        producersToCome.clear();
        consumersToCome.clear();
        consumersGivenUp.clear();
        layoutWatches.values().forEach(Watch::close);
        layoutWatches.clear();
        coordinatorWatches.values().forEach(Watch::close);
        coordinatorWatches.clear();
        streamMembers.values().forEach(StreamMember::close);
        streamMembers.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("closing the connection of {}: {}", address(), cause.toString());
        ctx.close();
    }

    /** Takes the producer off its partition; {@code done} runs on the event loop afterwards. */
    public void detach(ClientProducer p, @Nullable Runnable done) {
        p.close();
        publishes.submit();
        // behind the producer's own appends, which use the same queue
        p.log().container().executeAppend(new DetachTask(this, done, () -> {
            PartitionHub hub = p.hub();
            if (hub != null) {
                hub.remove(p.session());
            }
        }));
    }

    /** Takes the consumer off its subscription; {@code done} runs on the event loop afterwards. */
    public void detach(ClientConsumer c, @Nullable Runnable done) {
        c.log().container().execute(new DetachTask(this, done, c.consumer()::leave));
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
        reading = true;
        int size = in.readInt();
        if (size < 1 || size > end - in.readerIndex()) {
            throw new MalformedCommandException("command of " + size + " bytes in a frame of less");
        }
        router.route(this, Scratch.get().parse(in, size), in, end);
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
            LOG.debug("closing the connection of {}: its frame stopped arriving, and its memory is needed", address());
            channel.close();
        });
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        publishes.submit();
        flush();
    }

    public void error(long requestId, ServerError error, String message) {
        send(Commands.newError(requestId, error, message));
    }

    // ---- publishing

    /** Queues the send for its container; it goes with the others of this read. */
    void append(ClientProducer producer, PendingSend send) {
        producer.add(send);
        publishes.add(send);
        if (!reading) {
            publishes.submit();
        }
    }

    /** A send that never goes to the log. */
    void answer(ClientProducer producer, PendingSend refused) {
        producer.add(refused);
        publishes.addRefused();
        refused.emit();
    }

    /** Answers a send that is refused; one that will never be accepted so that the client does not wait for it or try it again. */
    void refused(ClientProducer producer, PendingSend send, ServerError error, String message) {
        if (!FinalRefusals.isFinal(error) || !FinalRefusals.areFor(clientVersion)) {
            gather(send.answer(producer.session().id()));
            return;
        }
        long id = producer.session().id();
        finalRefusals.keep(id, error, message);
        producers.remove(id, producer);
        detach(producer, null);
        write(Commands.newCloseProducer(id, -1, null, null));
    }

    /** A send was answered, or never will be. */
    void settled(int bytes) {
        publishes.settled(bytes);
    }

    // ---- out

    /**
     * Any thread. Ownership passes. What the event loop sends in its turn, it writes at once: that a producer is there must not
     * wait behind an item that says it is gone.
     */
    public void send(ByteBuf frame) {
        if ((reading || outbox.emitting()) && channel.eventLoop().inEventLoop()) {
            write(frame);
        } else {
            outbox.add(frame);
        }
    }

    /** Writes now; flushed at the end of this turn. */
    void write(ByteBuf frame) {
        writeGathered();
        channel.write(frame, channel.voidPromise());
    }

    /** Writes a small frame together with others of this turn. */
    void gather(BaseCommand command) {
        int size = command.getSerializedSize();
        if (gathered != null && gathered.writableBytes() < size + 8) {
            writeGathered();
        }
        if (gathered == null) {
            gathered = channel.alloc().directBuffer(Math.max(GATHERED_BYTES, size + 8));
        }
        gathered.writeInt(size + 4).writeInt(size);
        command.writeTo(gathered);
    }

    private void writeGathered() {
        ByteBuf frames = gathered;
        if (frames != null) {
            gathered = null;
            channel.write(frames, channel.voidPromise());
        }
    }

    void flush() {
        writeGathered();
        channel.flush();
        pausedConsumers.resumeNext();
    }

    /** Any thread: {@code item} runs on the event loop, in order with frames sent by this thread. */
    void post(Outbox.Item item) {
        outbox.add(item);
    }

    /** Any thread: runs on the event loop. */
    public void execute(Runnable task) {
        if (channel.eventLoop().inEventLoop()) {
            task.run();
        } else {
            outbox.add((Outbox.Item) task::run);
        }
    }

    @Override
    public long room() {
        return outbox.room();
    }

    @Override
    public boolean ready(Consumer consumer) {
        return pausedConsumers.ready(consumer);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        publishes.updateAutoRead();
        pausedConsumers.resumeNext();
    }

    @Override
    public void send(OutFrame frame) {
        outbox.add(frame);
    }

    @Override
    public void closeConsumer(Consumer consumer) {
        post(() -> close(consumer, false));
    }

    @Override
    public void partitionLeft(Consumer consumer) {
        post(() -> close(consumer, true));
    }

    private void close(Consumer consumer, boolean partitionLeft) {
        ClientConsumer c = consumers.get(consumer.id());
        if (c == null || c.consumer() != consumer) {
            return;
        }
        consumers.remove(consumer.id());
        if (partitionLeft) {
            lateAcks.left(consumer.id(), c.participant());
        } else {
            lateAcks.forget(consumer.id());
        }
        write(Commands.newCloseConsumer(consumer.id(), -1, null, null));
    }

    @Override
    public void closeProducer(ProducerSession producer) {
        post(() -> {
            ClientProducer p = producers.get(producer.id());
            if (p != null && p.session() == producer) {
                producers.remove(producer.id());
                p.close();
                write(Commands.newCloseProducer(producer.id(), -1, null, null));
            }
        });
    }

    @Override
    public void activeChanged(Consumer consumer, boolean active) {
        post(() -> {
            ClientConsumer c = consumers.get(consumer.id());
            boolean there = c != null && c.consumer() == consumer;
            if (there && Commands.peerSupportsActiveConsumerListener(protocolVersion)) {
                write(Commands.newActiveConsumerChange(consumer.id(), active));
            }
        });
    }

    @Override
    public void endOfTopic(Consumer consumer) {
        post(() -> {
            ClientConsumer c = consumers.get(consumer.id());
            if (c != null && c.consumer() == consumer) {
                write(Commands.newReachedEndOfTopic(consumer.id()));
            }
        });
    }

    @Override
    public boolean connected() {
        return channel.isActive();
    }

    @Override
    public String address() {
        return channel.remoteAddress() instanceof InetSocketAddress a
                ? a.getAddress().getHostAddress() + ":" + a.getPort()
                : "unknown";
    }

    @Override
    public String clientVersion() {
        return clientVersion;
    }
}
