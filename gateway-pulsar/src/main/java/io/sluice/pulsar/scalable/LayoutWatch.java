package io.sluice.pulsar.scalable;

import io.sluice.broker.topic.TopicName;
import java.util.concurrent.atomic.AtomicBoolean;

/** One client's watch of one topic's layout: changes that it has not been told of yet are told as one. Any thread. */
public final class LayoutWatch implements AutoCloseable {
    private final LayoutWatches home;
    private final TopicName topic;
    private final Runnable tell;
    private final AtomicBoolean due = new AtomicBoolean();

    LayoutWatch(LayoutWatches home, TopicName topic, Runnable tell) {
        this.home = home;
        this.topic = topic;
        this.tell = tell;
    }

    TopicName topic() {
        return topic;
    }

    void changed() {
        if (due.compareAndSet(false, true)) {
            tell.run();
        }
    }

    /** The layout is about to be looked at. */
    public void telling() {
        due.set(false);
    }

    @Override
    public void close() {
        home.remove(this);
    }
}
