package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.wire.OutFrame;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.jspecify.annotations.Nullable;

/**
 * Frames on their way to a client: those of the event loop are written at once, those of other threads come through the {@link Outbox}.
 * Frames of one turn of the event loop go out with one flush. Methods run on the event loop, except where they say otherwise.
 */
final class Outbound {
    /** Receipts of about fifty sends. */
    private static final int GATHERED_BYTES = 2048;

    private final Channel channel;
    private final Outbox outbox;
    private final DeliveryHold hold;
    private final PausedConsumers pausedConsumers;
    private final ConnectionRates rates;
    private boolean reading;
    /** Small frames that go out with the next flush. */
    private @Nullable ByteBuf gathered;

    /** @param limit bytes that may wait before consumers are paused */
    Outbound(Channel channel, int limit, ConnectionRates rates) {
        this.channel = channel;
        this.outbox = new Outbox(channel, limit, this::flush);
        this.rates = rates;
        this.hold = new DeliveryHold(channel, rates, this::resumeNext);
        this.pausedConsumers = new PausedConsumers(outbox, hold);
    }

    /** @param now whether a read of the socket is at work; its end flushes */
    void reading(boolean now) {
        reading = now;
    }

    boolean isReading() {
        return reading;
    }

    /**
     * Any thread. Ownership passes. What the event loop sends in its turn, it writes at once: that a producer is there must not
     * wait behind an item that says it is gone.
     */
    void send(ByteBuf frame) {
        if ((reading || outbox.emitting()) && channel.eventLoop().inEventLoop()) {
            write(frame);
        } else {
            outbox.add(frame);
        }
    }

    /** Messages for consumers. Any thread. Ownership passes. */
    void send(OutFrame frame) {
        hold.sent(frame.bytes());
        outbox.add(frame);
    }

    /** Any thread: {@code item} runs on the event loop, in order with frames sent by this thread. */
    void post(Outbox.Item item) {
        outbox.add(item);
    }

    /** Any thread: runs on the event loop. */
    void execute(Runnable task) {
        if (channel.eventLoop().inEventLoop()) {
            task.run();
        } else {
            outbox.add((Outbox.Item) task::run);
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

    /** There may be room for consumers that wait. */
    void resumeNext() {
        pausedConsumers.resumeNext();
    }

    /** Whether there is room for the consumer; otherwise it is resumed when there is. On the consumer's loop. */
    boolean ready(Consumer consumer) {
        return pausedConsumers.ready(consumer);
    }

    /** Bytes that dispatchers may add; none if it is not positive. Any thread. */
    long room() {
        return hold.isOn() ? 0 : rates.atOnce(outbox.room());
    }
}
