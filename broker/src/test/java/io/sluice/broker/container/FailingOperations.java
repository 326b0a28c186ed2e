package io.sluice.broker.container;

import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Operations one of which fails, before or after it was carried out, as when a connection breaks. */
public final class FailingOperations implements ContainerOperations {
    private final ContainerOperations operations;
    private final AtomicInteger left = new AtomicInteger(-1);
    private volatile boolean afterwards;
    private volatile int mostBytes;

    public FailingOperations(ContainerOperations operations) {
        this.operations = operations;
        this.mostBytes = operations.mostBytes();
    }

    /** Lets the one fail that comes after so many others. */
    public void failAfter(int others, boolean carriedOut) {
        afterwards = carriedOut;
        left.set(others);
    }

    /** Whether it has failed, or never was to. */
    public boolean hasFailed() {
        return left.get() < 0;
    }

    public void setMostBytes(int bytes) {
        mostBytes = bytes;
    }

    @Override
    public boolean isServed(int container) {
        return operations.isServed(container);
    }

    @Override
    public List<Integer> all() {
        return operations.all();
    }

    @Override
    public int mostBytes() {
        return mostBytes;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> ask(int container, ContainerStep<T> step) {
        boolean fails = left.getAndUpdate(n -> n < 0 ? n : n - 1) == 0;
        if (!fails) {
            return operations.ask(container, step);
        }
        var failure = new StoreException(new StoreFailure.NotOwner(container, "planted"));
        return afterwards
                ? operations.ask(container, step).thenCompose(done -> CompletableFuture.failedFuture(failure))
                : CompletableFuture.failedFuture(failure);
    }
}
