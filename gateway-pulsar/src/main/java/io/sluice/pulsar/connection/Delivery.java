package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import io.sluice.pulsar.dispatch.Consumer;
import java.util.concurrent.TimeUnit;

/**
 * How much a connection's consumers may be sent, and who waits for that. {@link #room} and {@link #ready} are for any thread,
 * the rest for the event loop.
 */
final class Delivery {
    private final Channel channel;
    private final Outbox outbox;
    private final Runnable writePing;
    private final DeliveryWindow window = new DeliveryWindow();
    private final WaitingConsumers waiting = new WaitingConsumers();
    private boolean watchesPings;

    /** @param writePing writes one behind what was written before; it is flushed with what comes next */
    Delivery(Channel channel, Outbox outbox, Runnable writePing) {
        this.channel = channel;
        this.outbox = outbox;
        this.writePing = writePing;
    }

    /** Bytes; none if it is not positive. */
    long room() {
        return Math.min(outbox.room(), window.room(outbox.queued()));
    }

    /** Whether there is room; if not, the consumer is woken when there is. */
    boolean ready(Consumer consumer) {
        if (room() > 0) {
            return true;
        }
        waiting.add(consumer);
        return room() > 0;
    }

    /**
     * There may be room again.
     *
     * @param publishes whether the client has a producer, whose answers would wait behind messages
     */
    void resume(boolean publishes) {
        window.publisher(publishes);
        resume();
    }

    private void resume() {
        if (!waiting.isEmpty() && room() > 0) {
            waiting.wake();
        }
    }

    /** The client has published so many bytes. */
    void published(int bytes) {
        window.published(bytes);
    }

    /** Messages were written. */
    void wrote(int bytes) {
        if (window.wrote(bytes)) {
            ping();
        }
    }

    void ping() {
        window.pinged(System.nanoTime());
        writePing.run();
        if (!watchesPings) {
            watchesPings = true;
            watchPings();
        }
    }

    void ponged() {
        if (window.ponged(System.nanoTime())) {
            ping();
        }
    }

    private void watchPings() {
        channel.eventLoop().schedule(this::checkPings, DeliveryWindow.GIVE_UP_NANOS, TimeUnit.NANOSECONDS);
    }

    private void checkPings() {
        if (window.giveUp(System.nanoTime())) {
            resume();
        }
        watchesPings = window.waits() && channel.isActive();
        if (watchesPings) {
            watchPings();
        }
    }
}
