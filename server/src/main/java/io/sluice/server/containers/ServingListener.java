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

    /** After {@link #serving}, when other nodes have been told, too. */
    default void tookOver(int container, TakeOver times) {}

    /** This process is to serve the container; it does not yet. */
    default void added(int container) {}

    /** It is not to serve it any more, and does not. */
    default void removed(int container) {}
}
