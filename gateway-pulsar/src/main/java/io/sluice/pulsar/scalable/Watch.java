package io.sluice.pulsar.scalable;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** What one client watches: changes that it has not been told of yet are told as one. Any thread. */
public final class Watch implements AutoCloseable {
    private final Runnable tell;
    private final Consumer<Watch> forget;
    private final AtomicBoolean due = new AtomicBoolean();

    Watch(Runnable tell, Consumer<Watch> forget) {
        this.tell = tell;
        this.forget = forget;
    }

    void changed() {
        if (due.compareAndSet(false, true)) {
            tell.run();
        }
    }

    /** What is watched is about to be looked at. */
    public void telling() {
        due.set(false);
    }

    @Override
    public void close() {
        forget.accept(this);
    }
}
