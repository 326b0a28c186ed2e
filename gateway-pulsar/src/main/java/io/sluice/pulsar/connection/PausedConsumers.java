package io.sluice.pulsar.connection;

import io.sluice.pulsar.dispatch.Consumer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Consumers that have something to send while their connection's outbox is full, or its user over its quota. When it has room they are resumed one after
 * the other, first come, first served: the next one when the one before has sent what it could. If all were resumed at once,
 * the first of them would take all the room each time. Each consumer is here once at most.
 */
final class PausedConsumers {
    private final Outbox outbox;
    private final DeliveryHold hold;
    private final Queue<Consumer> paused = new ConcurrentLinkedQueue<>();
    /** A consumer was resumed and has not sent yet. Event loop only. */
    private boolean resuming;

    PausedConsumers(Outbox outbox, DeliveryHold hold) {
        this.outbox = outbox;
        this.hold = hold;
    }

    private boolean hasRoom() {
        return !hold.isOn() && outbox.room() > 0;
    }

    /** Whether there is room; otherwise the consumer is resumed when there is. On the consumer's loop. */
    boolean ready(Consumer consumer) {
        if (hasRoom()) {
            return true;
        }
        if (consumer.pause()) {
            paused.add(consumer);
        }
        // asked again: room made in between did not see it here
        return hasRoom();
    }

    /** There may be room: the outbox was flushed, its channel became writable, or the quota has room. Event loop only. */
    void resumeNext() {
        if (resuming || !hasRoom()) {
            return;
        }
        Consumer.Home next = nextSubscription();
        if (next != null) {
            resuming = true;
            next.wake(() -> outbox.add((Outbox.Item) () -> resuming = false));
        }
    }

    private Consumer.@Nullable Home nextSubscription() {
        for (Consumer next = paused.poll(); next != null; next = paused.poll()) {
            next.resume();
            Consumer.Home subscription = next.home();
            if (subscription != null) {
                return subscription;
            }
        }
        return null;
    }
}
