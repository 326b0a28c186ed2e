package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.InProcessChannel;
import io.sluice.pulsar.wire.FrameDecoder;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongFunction;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.CommandSendReceipt;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's end of a connection to the gateway in this process: commands with their answers, and what comes unasked. Event loop of the
 * connection only, but for {@link #execute}.
 */
final class GatewayLink implements InProcessChannel.Client, FrameDecoder.Frames {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayLink.class);

    /** Frames of converted entries may be larger than a client's. */
    private static final int LARGEST_FRAME = 1 << 30;

    private final InProcessChannel channel;
    private final EmbeddedChannel frames = new EmbeddedChannel(new FrameDecoder(this));
    private final Map<Long, Answer> answers = new HashMap<>();
    private final Queue<ByteBuf> commands = new ArrayDeque<>();
    private @Nullable Connection connection;
    private @Nullable Events events;
    private BaseCommand command = new BaseCommand();
    private long requests;
    private boolean sending;
    private boolean closed;
    /** Said by the gateway before it closes. */
    private @Nullable String reason;

    GatewayLink(SocketAddress local, SocketAddress remote) {
        this.channel = new InProcessChannel(this, local, remote);
    }

    /** Answer to a request; one of the two, once. */
    interface Answer {
        /** @param command valid during the call */
        void done(BaseCommand command);

        void refused(ServerError error, String message);
    }

    /** News that no request asked for. */
    interface Events {
        /** Whether messages are wanted now; if not, {@link GatewayLink#resume} follows when they are. */
        boolean takes();

        /** @param content metadata and payload, borrowed */
        void message(CommandMessage message, ByteBuf content);

        void receipt(CommandSendReceipt receipt);

        void sendFailed(long producer, long sequenceId, ServerError error, String message);

        /** The gateway has ended a producer or a consumer: its partition has gone elsewhere, or is no more. */
        void ended();

        void endOfTopic(long consumer);

        void ping();

        /** @param on whether the gateway wants commands */
        void reads(boolean on);

        /** @param why said by the gateway; null if nothing */
        void closed(@Nullable String why);
    }

    InProcessChannel channel() {
        return channel;
    }

    /** @param to gets what comes from now on */
    void open(Connection with, Events to) {
        connection = with;
        events = to;
        channel.closeFuture().addListener(_ -> close());
    }

    Connection connection() {
        return Objects.requireNonNull(connection);
    }

    /** Any thread: runs on the event loop, unless that has ended. A task that fails ends the connection. */
    void execute(Runnable task) {
        try {
            connection().channel().eventLoop().execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            // the gateway is closed, and its connections with it
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("closing the connection of {}: what its client has sent failed", channel.remoteAddress(), e);
            channel.close();
        }
    }

    /** Sends a command that has no answer, or whose answer is an event. Ownership passes. */
    void send(ByteBuf frame) {
        if (closed) {
            frame.release();
            return;
        }
        commands.add(frame);
        if (!sending) {
            sending = true;
            execute(this::deliver); // never in the middle of what the gateway sends
        }
    }

    /** @param frame made of the request's id */
    void ask(LongFunction<ByteBuf> frame, Answer answer) {
        long id = requests++;
        answers.put(id, answer);
        send(frame.apply(id));
    }

    private void deliver() {
        sending = false;
        for (ByteBuf each = commands.poll(); each != null; each = commands.poll()) {
            channel.pipeline().fireChannelRead(each);
        }
        channel.pipeline().fireChannelReadComplete();
    }

    /** Messages are wanted again. */
    void resume() {
        channel.resume();
    }

    /** Ends the connection; {@link Events#closed} follows. */
    void end() {
        channel.close();
    }

    private void close() {
        if (closed) {
            return;
        }
        closed = true;
        frames.finishAndReleaseAll();
        commands.forEach(ByteBuf::release);
        commands.clear();
        answers.values().forEach(each -> each.refused(ServerError.ServiceNotReady, "the connection is closed"));
        answers.clear();
        if (events != null) {
            events.closed(reason);
        }
    }

    // ---- from the gateway

    @Override
    public boolean takes() {
        return events == null || events.takes();
    }

    @Override
    public void bytes(ByteBuf out) {
        try {
            frames.writeInbound(out);
        } catch (RuntimeException e) {
            LOG.error("closing the connection of {}: what came for it failed", channel.remoteAddress(), e);
            channel.close();
        }
    }

    @Override
    public void reads(boolean on) {
        if (events != null) {
            events.reads(on);
        }
    }

    @Override
    public int maxFrameBytes() {
        return LARGEST_FRAME;
    }

    @Override
    public void frame(ByteBuf in, int end) {
        if (closed) {
            return;
        }
        int size = in.readInt();
        command.parseFrom(in, size);
        Events to = Objects.requireNonNull(events);
        switch (command.getType()) {
            case MESSAGE -> to.message(command.getMessage(), in.slice(in.readerIndex(), end - in.readerIndex()));
            case SEND_RECEIPT -> to.receipt(command.getSendReceipt());
            case SEND_ERROR ->
                to.sendFailed(
                        command.getSendError().getProducerId(),
                        command.getSendError().getSequenceId(),
                        command.getSendError().getError(),
                        command.getSendError().getMessage());
            case CLOSE_CONSUMER, CLOSE_PRODUCER -> to.ended();
            case REACHED_END_OF_TOPIC ->
                to.endOfTopic(command.getReachedEndOfTopic().getConsumerId());
            case PING -> to.ping();
            case SUCCESS -> done(command.getSuccess().getRequestId());
            case PRODUCER_SUCCESS -> done(command.getProducerSuccess().getRequestId());
            case PARTITIONED_METADATA_RESPONSE -> partitions();
            case ERROR ->
                refused(
                        command.getError().getRequestId(),
                        command.getError().getError(),
                        command.getError().getMessage());
            default -> {
                // news that a client may do without
            }
        }
    }

    private void partitions() {
        var answer = command.getPartitionMetadataResponse();
        if (answer.hasError()) {
            refused(answer.getRequestId(), answer.getError(), answer.hasMessage() ? answer.getMessage() : "");
        } else {
            done(answer.getRequestId());
        }
    }

    private void done(long request) {
        Answer answer = answers.remove(request);
        if (answer != null) {
            answer.done(command);
        }
    }

    private void refused(long request, ServerError error, String message) {
        Answer answer = answers.remove(request);
        if (answer != null) {
            answer.refused(error, message);
        } else {
            reason = message;
        }
    }

    /** The client has shown a sign of life. */
    void heard() {
        send(Commands.newPong());
    }
}
