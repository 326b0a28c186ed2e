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

    /** How much of a segment is on the disks, as far as the container knows; 0 if there is no such segment. */
    public static long synced(Container container, long segment) {
        OpenSegment open = container.openSegments().get(segment);
        return open == null ? 0 : open.syncedLength;
    }

    public static ContainerState state(Container container) {
        return container.openSegments().state();
    }
}
