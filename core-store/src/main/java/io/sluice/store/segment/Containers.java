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

    /** Containers that take new segments: all but those that are to be removed. */
    default List<Integer> staying() {
        return all();
    }

    /** Level of durability, 1 to 4, that the container's log has. */
    default int level(int container) {
        return 1;
    }

    /** Level of the containers in which topics of a level lie: the same, or one that is as durable here. */
    default int levelHere(int level) {
        return level;
    }

    /** Containers of {@link #staying} whose log has this level. */
    default List<Integer> staying(int level) {
        return staying().stream().filter(id -> level(id) == level).toList();
    }

    /** Node that owns the container as far as this process knows, for redirects; null if no node does. */
    @Nullable
    String owner(int container);
}
