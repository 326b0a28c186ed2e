package io.sluice.store.segment;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The containers this process serves at the moment. Any thread. */
public interface Containers {
    /** Null while the container is not served here: the caller answers {@link StoreFailure.NotOwner}. */
    @Nullable
    SegmentContainer serving(int container);

    /** Ids of all containers of the cluster, served here or not, rising; changes with their number. */
    List<Integer> all();

    /** Those that take new segments: all but the ones that are to be removed. */
    default List<Integer> staying() {
        return all();
    }

    /** Node that owns the container as far as this process knows, for redirects; null if nobody does. */
    @Nullable
    String owner(int container);
}
