package io.sluice.pulsar.scalable;

import io.sluice.broker.topic.TopicName;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Watch of one client: changes not told yet are told as one. Any thread. */
public final class ClientWatch implements AutoCloseable {
    private final TopicName topic;
    private final Runnable tell;
    private final Consumer<ClientWatch> forget;
    private final AtomicBoolean due = new AtomicBoolean();

    /** @param topic that a client must be allowed to describe to watch this */
    ClientWatch(TopicName topic, Runnable tell, Consumer<ClientWatch> forget) {
        this.topic = topic;
        this.tell = tell;
        this.forget = forget;
    }

    /** Topic that a client must be allowed to describe to watch this. */
    public TopicName topic() {
        return topic;
    }

    void changed() {
        if (due.compareAndSet(false, true)) {
            tell.run();
        }
    }

    /** The watched state is about to be read. */
    public void telling() {
        due.set(false);
    }

    @Override
    public void close() {
        forget.accept(this);
    }
}
