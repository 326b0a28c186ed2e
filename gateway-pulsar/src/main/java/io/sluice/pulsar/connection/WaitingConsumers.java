package io.sluice.pulsar.connection;

import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Consumers of a connection that would be sent something and for which it has no room. Whoever is woken first takes all the
 * room there is, so those go first that had to wait again without having been sent anything. Each is here once at most.
 */
final class WaitingConsumers {
    private final Queue<Consumer> passedOver = new ConcurrentLinkedQueue<>();
    private final Queue<Consumer> served = new ConcurrentLinkedQueue<>();
    private final AtomicInteger woken = new AtomicInteger();

    /** On the consumer's loop. */
    void add(Consumer consumer) {
        if (consumer.startWaiting()) {
            (consumer.servedSinceItWaited() ? served : passedOver).add(consumer);
        }
    }

    boolean isEmpty() {
        return passedOver.isEmpty() && served.isEmpty();
    }

    /** Whether somebody waits, or was woken and has not gone on yet. Any thread. */
    boolean anybodysTurn() {
        return woken.get() > 0 || !isEmpty();
    }

    /**
     * Wakes some, each of whom may use what room there is: too many would be woken for nothing. On the connection's event loop.
     *
     * @param then runs after each of them has gone on, on its loop
     */
    void wake(int most, Runnable then) {
        // they are taken out before one is woken: it may come back at once
        List<Consumer> next = new ArrayList<>(most);
        take(passedOver, most, next);
        take(served, most, next);
        woken.addAndGet(next.size());
        for (Consumer consumer : next) {
            consumer.beginTurn();
            Runnable goneOn = () -> {
                consumer.endTurn();
                woken.getAndDecrement();
                then.run();
            };
            Subscription s = consumer.subscription();
            if (s == null) {
                goneOn.run();
            } else {
                s.wake(goneOn);
            }
        }
    }

    private static void take(Queue<Consumer> from, int most, List<Consumer> to) {
        while (to.size() < most) {
            Consumer consumer = from.poll();
            if (consumer == null) {
                return;
            }
            to.add(consumer);
        }
    }
}
