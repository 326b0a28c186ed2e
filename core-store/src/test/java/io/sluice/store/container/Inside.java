package io.sluice.store.container;

import io.sluice.store.state.ContainerState;
import org.jspecify.annotations.Nullable;

/** What checkers may see of a container from within. */
public final class Inside {
    private Inside() {}

    /** What ended its term though nobody expected it: in a test most likely an assertion. */
    public static @Nullable Throwable failure(Container container) {
        return container.failure();
    }

    public static ContainerState state(Container container) {
        return container.openSegments().state();
    }
}
