package io.sluice.broker.container;

import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Steps in the containers that are served here. */
public final class LocalOperations implements ContainerOperations {
    private final Containers containers;

    public LocalOperations(Containers containers) {
        this.containers = containers;
    }

    @Override
    public boolean isServed(int container) {
        return containers.serving(container) != null;
    }

    @Override
    public List<Integer> all() {
        return containers.all();
    }

    @Override
    public int mostBytes() {
        return Integer.MAX_VALUE;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> ask(int container, ContainerStep<T> step) {
        SegmentContainer serving = containers.serving(container);
        if (serving == null) {
            return notServed(container, "container " + container + " is not served here");
        }
        return serving.ask(answer -> step.begin(serving, answer));
    }

    static <T extends @Nullable Object> CompletableFuture<T> notServed(int container, String why) {
        return CompletableFuture.failedFuture(new StoreException(new StoreFailure.NotOwner(container, why)));
    }
}
