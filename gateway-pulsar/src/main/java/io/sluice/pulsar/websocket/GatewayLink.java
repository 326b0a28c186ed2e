package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.sluice.pulsar.wire.FrameDecoder;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
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
 * A client's end of a connection to a gateway, of this process or of another node: commands with their answers, and what comes unasked. Event loop
 * of its socket only, but for {@link #execute}.
 */
abstract class GatewayLink implements FrameDecoder.Frames {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayLink.class);

    /** Frames of converted entries may be larger than a client's. */
    private static final int LARGEST_FRAME = 1 << 30;

    private final Holder holder;
    private final Map<Long, Answer> answers = new HashMap<>();
    private final Queue<ByteBuf> commands = new ArrayDeque<>();
    private @Nullable Events events;
    private BaseCommand command = new BaseCommand();
    private long requests;
    private boolean sending;
    private boolean closed;
    /** Said by the gateway before it closes. */
    private @Nullable String reason;

    GatewayLink(Holder holder) {
        this.holder = holder;
    }

    /** Answer to a request; one of the two, once. */
    interface Answer {
        /** @param command valid during the call */
        void done(BaseCommand command);

        void refused(ServerError error, String message);
    }

    /** News of producers and consumers that no request asked for. */
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
    }

    /** News of the links themselves. */
    interface Holder {
        /** The gateway asks for a sign of life. */
        void ping(GatewayLink link);

        /** @param on whether the gateway wants commands */
        void reads(GatewayLink link, boolean on);

        /** There is no memory for what comes. */
        void overloaded();

        /** @param why said by the gateway; null if nothing */
        void closed(GatewayLink link, @Nullable String why);
    }

    /** @param to gets what comes from now on */
    final void open(Events to) {
        events = to;
    }

    abstract EventLoop loop();

    /** Passes a command on. Ownership passes. */
    abstract void write(ByteBuf frame);

    /** Passes on what was written. */
    abstract void flush();

    /** Messages are wanted again. */
    abstract void resume();

    /** Ends the connection; {@link Holder#closed} follows. */
    abstract void end();

    /**
     * Any thread: runs on the event loop, unless that has ended. A task that fails ends the connection.
     *
     * @return false if the gateway is closed, and its connections with it
     */
    final boolean execute(Runnable task) {
        try {
            loop().execute(() -> guarded(task));
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("closing a connection over WebSocket: what its client has sent failed", e);
            end();
        }
    }

    /** Sends a command that has no answer, or whose answer is an event. Ownership passes. */
    final void send(ByteBuf frame) {
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
    final void ask(LongFunction<ByteBuf> frame, Answer answer) {
        if (closed) {
            answer.refused(ServerError.ServiceNotReady, "the connection is closed");
            return;
        }
        long id = requests++;
        answers.put(id, answer);
        send(frame.apply(id));
    }

    private void deliver() {
        sending = false;
        for (ByteBuf each = commands.poll(); each != null; each = commands.poll()) {
            write(each);
        }
        flush();
    }

    /** The connection is closed. */
    final void closed() {
        if (closed) {
            return;
        }
        closed = true;
        commands.forEach(ByteBuf::release);
        commands.clear();
        List<Answer> open = List.copyOf(answers.values());
        answers.clear();
        open.forEach(each -> each.refused(ServerError.ServiceNotReady, "the connection is closed"));
        lost(reason);
    }

    /** @param why said by the gateway; null if nothing */
    void lost(@Nullable String why) {
        holder.closed(this, why);
    }

    final Holder holder() {
        return holder;
    }

    /** Whether messages are wanted. */
    final boolean isWanted() {
        return events == null || events.takes();
    }

    /** Ends the connection because of something that came. */
    final void failed(Throwable why) {
        LOG.error("closing a connection over WebSocket: what came for it failed", why);
        end();
    }

    // ---- from the gateway

    @Override
    public final int maxFrameBytes() {
        return LARGEST_FRAME;
    }

    @Override
    public final void frame(ByteBuf in, int end) {
        if (closed) {
            return;
        }
        int size = in.readInt();
        command.parseFrom(in, size);
        Events to = Objects.requireNonNull(events);
        switch (command.getType()) {
            case CONNECTED -> connected();
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
            case PING -> holder.ping(this);
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

    /** The gateway has taken the client in; only links to other nodes ask it to. */
    void connected() {}

    /** Gives a sign of life. */
    final void pong() {
        send(Commands.newPong());
    }
}
