package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.sluice.pulsar.wire.OutFrame;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue from other threads to a connection: one wake-up of the event loop takes everything that is there and flushes once.
 * Bounded by what producers and permits allow, and by {@link #room}, which dispatchers ask first.
 */
final class Outbox {
    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    /** Something to do on the event loop, in order with the frames. */
    interface Item {
        void emit();
    }

    private final Channel channel;
    private final int limit;
    private final Runnable flush;
    private final MpscUnboundedArrayQueue<Object> queue = new MpscUnboundedArrayQueue<>(32);
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    /** Event loop only. */
    private boolean emitting;

    /**
     * @param limit bytes for which it has room when it is empty
     * @param flush called on the event loop after the queue was emptied
     */
    Outbox(Channel channel, int limit, Runnable flush) {
        this.channel = channel;
        this.limit = limit;
        this.flush = flush;
    }

    /** Bytes that dispatchers may add; none if it is not positive. */
    long room() {
        return channel.isWritable() ? limit - bytes.get() : 0;
    }

    void add(ByteBuf frame) {
        bytes.addAndGet(frame.readableBytes());
        enqueue(frame);
    }

    void add(OutFrame frame) {
        bytes.addAndGet(frame.bytes());
        enqueue(frame);
    }

    void add(Item item) {
        enqueue(item);
    }

    private void enqueue(Object item) {
        queue.add(item);
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            try {
                channel.eventLoop().execute(this::drain);
            } catch (RejectedExecutionException e) {
                // the gateway has been closed: no client is left to send to
                discard();
            }
        }
    }

    /** On the event loop: one of the items is at work, and what it writes now goes out before what is queued behind it. */
    boolean emitting() {
        return emitting;
    }

    private void drain() {
        emitting = true;
        do {
            for (Object item = queue.poll(); item != null; item = queue.poll()) {
                guarded(item);
            }
            scheduled.set(false);
        } while (!queue.isEmpty() && scheduled.compareAndSet(false, true));
        emitting = false;
        flush.run();
    }

    /** One that fails closes the connection; the others go on, or what they hold would never be given back. */
    private void guarded(Object item) {
        try {
            emit(item);
        } catch (Throwable e) {
            LOG.error("closing the connection of {}: what was queued for it failed", channel.remoteAddress(), e);
            channel.close();
        }
    }

    private void emit(Object item) {
        switch (item) {
            case ByteBuf frame -> {
                bytes.addAndGet(-frame.readableBytes());
                channel.write(frame, channel.voidPromise());
            }
            case OutFrame frame -> {
                int size = frame.bytes();
                bytes.addAndGet(-size);
                channel.write(frame.head(), channel.voidPromise());
                if (frame.body() != null) {
                    channel.write(frame.body(), channel.voidPromise());
                }
            }
            case Item other -> other.emit();
            default -> throw new IllegalStateException("unknown item " + item.getClass());
        }
    }

    private void discard() {
        for (Object item = queue.poll(); item != null; item = queue.poll()) {
            switch (item) {
                case ByteBuf frame -> frame.release();
                case OutFrame frame -> frame.release();
                default -> {
                    // holds nothing once it is here
                }
            }
        }
    }
}
