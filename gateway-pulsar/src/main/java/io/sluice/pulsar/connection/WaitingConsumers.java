package io.sluice.pulsar.connection;

import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Consumers of a connection that would be sent something and for which it has no room. Whoever is woken first takes all the
 * room there is, so those go first that had to wait again without having been sent anything. Each is here once at most.
 */
final class WaitingConsumers {
    private final Queue<Consumer> passedOver = new ConcurrentLinkedQueue<>();
    private final Queue<Consumer> served = new ConcurrentLinkedQueue<>();

    /** On the consumer's loop. */
    void add(Consumer consumer) {
        if (consumer.startWaiting()) {
            (consumer.servedSinceItWaited() ? served : passedOver).add(consumer);
        }
    }

    boolean isEmpty() {
        return passedOver.isEmpty() && served.isEmpty();
    }

    /** On the connection's event loop. */
    void wake() {
        // all are taken out before one is woken: it may come back at once
        List<Consumer> all = new ArrayList<>();
        takeAll(passedOver, all);
        takeAll(served, all);
        for (Consumer consumer : all) {
            consumer.stopWaiting();
            Subscription s = consumer.subscription();
            if (s != null) {
                s.wake();
            }
        }
    }

    private static void takeAll(Queue<Consumer> from, List<Consumer> to) {
        for (Consumer c = from.poll(); c != null; c = from.poll()) {
            to.add(c);
        }
    }
}
