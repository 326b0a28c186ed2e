package io.sluice.server.containers;

import java.util.Map;

/** Told when a container begins and ceases to be served here; on a thread that may block. */
public interface ServingListener {
    void serving(int container);

    void stopped(int container);

    /**
     * Bytes that the container had acknowledged before their sync are gone, by segment; before {@link #serving}, and on its loop: must
     * not block.
     */
    default void lost(int container, Map<Long, Long> bytes) {}

    /** Another node holds the container's lease; once for each that is found. */
    default void heldBy(int container, String node) {}

    /** The store has a container more, which is not served yet. */
    default void added(int container) {}

    /** The store has it no more. */
    default void removed(int container) {}
}
