package io.sluice.broker.container;

import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** Looks at the steps that other nodes want done here, before each of them is. On the container's loop. */
public interface StepGuard {
    StepGuard NONE = (container, step) -> null;

    /** Why the step cannot be carried out now; null if it can. */
    @Nullable
    StoreFailure refusal(SegmentContainer container, ContainerStep<?> step);
}
