package io.sluice.kafka.connection;

import io.netty.channel.EventLoop;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * Brings finished requests back to one Netty loop: the first of many wakes the loop, the rest ride along, and each
 * connection touched is flushed once. Bounded by the requests in flight, which are bounded per connection.
 */
final class FinishedRequests {
    private static final int CHUNK = 1024;

    private final EventLoop loop;
    private final MpscUnboundedArrayQueue<PendingRequest> finished = new MpscUnboundedArrayQueue<>(CHUNK);
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Set<PendingRequest.Host> touched = new LinkedHashSet<>();

    FinishedRequests(EventLoop loop) {
        this.loop = loop;
    }

    /** Any thread. */
    void add(PendingRequest request) {
        finished.add(request);
        if (scheduled.compareAndSet(false, true)) {
            try {
                loop.execute(this::drain);
            } catch (java.util.concurrent.RejectedExecutionException e) {
                discardAll(); // the loop is gone, and with it every connection on it
            }
        }
    }

    private void drain() {
        // Cleared before the queue is emptied: an addition after this either is seen below or schedules again.
        scheduled.set(false);
        for (PendingRequest r = finished.poll(); r != null; r = finished.poll()) {
            PendingRequest.Host owner = r.host();
            owner.guard(r::settle);
            touched.add(owner);
        }
        for (PendingRequest.Host connection : touched) {
            connection.guard(connection::sendReady);
        }
        touched.clear();
    }

    private synchronized void discardAll() {
        scheduled.set(false);
        for (PendingRequest r = finished.poll(); r != null; r = finished.poll()) {
            r.discard();
        }
    }
}
