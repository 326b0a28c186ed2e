package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import io.sluice.pulsar.dispatch.Consumer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much a connection's consumers may be sent, and who waits for that. A read takes its part of the room when it begins: with
 * many consumers far behind, each would read much and then be able to send little of it.
 *
 * <p>{@link #room} to {@link #changed} are for any thread, the rest for the event loop.
 */
final class Delivery {
    /**
     * With less room than that, or than a quarter of the outbox's, nobody begins to read: many small pieces would cost more
     * than they bring.
     */
    static final int LEAST = 64 << 10;

    private static final int MOST_WOKEN = 16;

    private final Channel channel;
    private final Outbox outbox;
    private final Runnable writePing;
    private final Runnable heard;
    private final DeliveryWindow window = new DeliveryWindow();
    private final PublishWindow publishes = new PublishWindow();
    private final WaitingConsumers waiting = new WaitingConsumers();
    /** Bytes that are being read, to be sent. */
    private final AtomicLong taken = new AtomicLong();

    private final AtomicBoolean changed = new AtomicBoolean();
    private final int least;
    private boolean watchesPings;

    /**
     * @param writePing writes one behind what was written before; it is flushed with what comes next
     * @param heard called when a ping was answered, or is no longer expected to be: {@link #mayPublish} may have changed
     */
    Delivery(Channel channel, Outbox outbox, Runnable writePing, Runnable heard) {
        this.channel = channel;
        this.outbox = outbox;
        this.least = Math.max(1, Math.min(LEAST, outbox.limit() / 4));
        this.writePing = writePing;
        this.heard = heard;
    }

    /** Bytes; none if it is not positive. */
    long room() {
        long beingRead = taken.get();
        return Math.min(outbox.room() - beingRead, window.room(outbox.queued() + beingRead));
    }

    /** Whether there is room and nobody else's turn; if not, the consumer is woken when it is its turn. */
    boolean ready(Consumer consumer) {
        if (hasRoom() && (consumer.isItsTurn() || !waiting.anybodysTurn())) {
            return true;
        }
        waiting.add(consumer);
        if (hasRoom()) {
            changed();
        }
        return false;
    }

    private boolean hasRoom() {
        return room() >= least;
    }

    /** Of the room, for what is about to be read. */
    void take(int bytes) {
        taken.addAndGet(bytes);
    }

    /** @param nothingSent otherwise what is sent after this tells those who wait */
    void giveBack(int bytes, boolean nothingSent) {
        taken.addAndGet(-bytes);
        if (nothingSent) {
            changed();
        }
    }

    /** There may be room for those who wait, and nothing was written that would tell. */
    void changed() {
        if (!waiting.isEmpty() && changed.compareAndSet(false, true)) {
            outbox.add((Outbox.Item) () -> changed.set(false));
        }
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
        if (!waiting.isEmpty()) {
            long room = room();
            if (room >= least) {
                waiting.wake((int) Math.min(room / least, MOST_WOKEN), this::changed);
            }
        }
    }

    /** The client has published so many bytes. */
    void published(int bytes) {
        window.published(bytes);
    }

    /** Whether a send of a client that also reads may go on to the log; if not, {@code heard} is called when to ask again. */
    boolean mayPublish() {
        return publishes.hasRoom() || window.hasGivenUp();
    }

    /** Such a send goes on. */
    void publishes(int bytes) {
        if (publishes.pass(bytes) && !window.hasGivenUp()) {
            ping();
        }
    }

    /** Messages were written. */
    void wrote(int bytes) {
        if (window.wrote(bytes)) {
            ping();
        }
    }

    void ping() {
        window.pinged(System.nanoTime(), publishes.ping());
        writePing.run();
        if (!watchesPings) {
            watchesPings = true;
            watchPings();
        }
    }

    void ponged() {
        boolean ask = window.ponged(System.nanoTime());
        publishes.ponged(window.answeredPublishes(), window.fastest());
        if (ask || !publishes.hasRoom() && !window.waits()) {
            ping();
        }
        heard.run();
    }

    private void watchPings() {
        channel.eventLoop().schedule(this::checkPings, DeliveryWindow.GIVE_UP_NANOS, TimeUnit.NANOSECONDS);
    }

    private void checkPings() {
        if (window.giveUp(System.nanoTime())) {
            resume();
            heard.run();
        }
        watchesPings = window.waits() && channel.isActive();
        if (watchesPings) {
            watchPings();
        }
    }
}
