package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import io.sluice.pulsar.GatewayServices;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The sends of one connection on their way to the log. Each is an append of its own, since the store has room for the largest one and
 * not for all of them; those of one socket read are submitted together.
 *
 * <pre>
 *   socket ── add ──► held ── submit, while {@link Delivery#mayPublish} ──► container's queue ──► settled
 * </pre>
 *
 * <p>Sends are held in memory rather than left in the socket, because permits and acknowledgements come over the same connection
 * and would wait behind them. The socket is not read while too many sends are unanswered, too many bytes are held, or all connections
 * together hold what there is of memory for requests. Event loop only.
 */
final class PublishQueue {
    /** Part of the budget that one connection may hold, and that all may use while this one holds something. */
    private static final int HELD_BY_ONE = 4;

    private static final int USED_BY_ALL = 2;

    private final Channel channel;
    private final GatewayServices services;
    private final Delivery delivery;
    private final Queue<PendingSend> held = new ArrayDeque<>();
    private long heldBytes;
    private int unanswered;
    private boolean memoryIsShort;

    PublishQueue(Channel channel, GatewayServices services, Delivery delivery) {
        this.channel = channel;
        this.services = services;
        this.delivery = delivery;
    }

    /** Takes a send; {@link #submit} follows at the end of the socket read. */
    void add(PendingSend send) {
        int bytes = send.parcel().bytes();
        unanswered++;
        held.add(send);
        heldBytes += bytes;
        delivery.published(bytes);
        services.budget().take(bytes);
        updateAutoRead();
    }

    /** A send that is refused here and never goes to the log. */
    void addRefused() {
        unanswered++;
    }

    /**
     * Hands sends to their containers.
     *
     * @param reads whether the client has consumers, which its own publishing may starve
     */
    void submit(boolean reads) {
        boolean submitted = false;
        for (PendingSend next = held.peek(); next != null && (!reads || delivery.mayPublish()); next = held.peek()) {
            held.remove();
            int bytes = next.parcel().bytes();
            heldBytes -= bytes;
            if (reads) {
                delivery.publishes(bytes);
            }
            next.submit();
            submitted = true;
        }
        if (submitted) {
            updateAutoRead();
        }
    }

    /** Whether there is room for what this connection would read. */
    void memory(boolean room) {
        memoryIsShort = !room;
        updateAutoRead();
    }

    /** The socket is not read for reasons of this connection's own. */
    boolean full() {
        return unanswered >= services.config().limits().pendingSends() || holdsTooMuch();
    }

    /** A send was answered, or never will be. */
    void settled(int bytes) {
        unanswered--;
        services.budget().giveBack(bytes);
        updateAutoRead();
    }

    private void updateAutoRead() {
        int limit = services.config().limits().pendingSends();
        boolean auto = channel.config().isAutoRead();
        if (memoryIsShort || full()) {
            if (auto) {
                channel.config().setAutoRead(false);
            }
        } else if (!auto && unanswered <= limit / 2) {
            channel.config().setAutoRead(true);
        }
    }

    /** What one client is late for must not keep the others from publishing. */
    private boolean holdsTooMuch() {
        long budget = services.budget().most();
        return heldBytes > budget / HELD_BY_ONE
                || !held.isEmpty() && services.budget().used() > budget / USED_BY_ALL;
    }
}
