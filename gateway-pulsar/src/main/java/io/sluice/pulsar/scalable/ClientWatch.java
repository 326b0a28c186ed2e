package io.sluice.pulsar.scalable;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** ClientWatch of one client: changes not told yet are told as one. Any thread. */
public final class ClientWatch implements AutoCloseable {
    private final Runnable tell;
    private final Consumer<ClientWatch> forget;
    private final AtomicBoolean due = new AtomicBoolean();

    ClientWatch(Runnable tell, Consumer<ClientWatch> forget) {
        this.tell = tell;
        this.forget = forget;
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
