package io.sluice.pulsar.dispatch;

import io.sluice.pulsar.rates.TopicBounds;
import java.util.List;

/**
 * Bounds of what consumers of a subscription hold, each by itself and all together: at a bound they get no more until half of it is
 * acknowledged. Loop only.
 */
final class UnackedBounds {
    private final DispatchContext context;

    /** Messages that all consumers hold together. */
    private long held;

    private boolean full;

    UnackedBounds(DispatchContext context) {
        this.context = context;
    }

    /** Whether all consumers together hold as many as they may. */
    boolean isFull() {
        return full;
    }

    /** The consumer holds so many messages more, or less. */
    void held(Consumer c, int messages) {
        c.unacked += messages;
        held += messages;
        c.full = isFull(c.full, c.unacked, mostOfConsumer());
        full = isFull(full, held, mostOfAll());
    }

    /** By the topic's policy, else by the server's setting; 0 for any number. */
    private int mostOfConsumer() {
        int own = context.rates().rates().bounds().unackedOfConsumer();
        return own == TopicBounds.OF_SERVER ? context.limits().unackedMessages() : own;
    }

    private int mostOfAll() {
        int own = context.rates().rates().bounds().unackedOfSubscription();
        return own == TopicBounds.OF_SERVER ? context.limits().unackedOfSubscription() : own;
    }

    /** Other bounds may hold by now. */
    void follow(List<Consumer> consumers) {
        consumers.forEach(c -> c.full = isFull(false, c.unacked, mostOfConsumer()));
        full = isFull(false, held, mostOfAll());
    }

    /** Half a bound between the two, as in Pulsar: else a consumer at its bound would be sent one message at a time. */
    private static boolean isFull(boolean was, long held, int most) {
        return most > 0 && (was ? held > most / 2 : held >= most);
    }

    void clear() {
        held = 0;
        full = false;
    }
}
