package io.sluice.store.container;

import io.sluice.store.state.ContainerState;

/** What checkers may see of a container from within. */
public final class Inside {
    private Inside() {}

    public static ContainerState state(Container container) {
        return container.openSegments().state();
    }
}
