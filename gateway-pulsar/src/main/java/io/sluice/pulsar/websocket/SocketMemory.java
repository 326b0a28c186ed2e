package io.sluice.pulsar.websocket;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory that all sockets together take for what is in between: messages that arrive in parts or are not looked at, and messages for clients that are not
 * sent. What the gateway has for a socket is in bounds of its own. A socket that wants more than there is ends. Any thread.
 */
final class SocketMemory {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    /** @param limit in bytes */
    SocketMemory(long limit) {
        this.limit = limit;
    }

    /** The part of one socket. Any thread. */
    final class Share {
        private long mine;
        private boolean closed;

        /** False if there is not so much; it is taken nevertheless. */
        synchronized boolean take(long bytes) {
            if (closed) {
                return true;
            }
            mine += bytes;
            return taken.addAndGet(bytes) <= limit;
        }

        synchronized void give(long bytes) {
            if (!closed) {
                mine -= bytes;
                taken.addAndGet(-bytes);
            }
        }

        /** The socket is no more. */
        synchronized void close() {
            closed = true;
            taken.addAndGet(-mine);
            mine = 0;
        }
    }

    Share share() {
        return new Share();
    }
}
