package io.sluice.server.containers;

/** Told when a container begins and ceases to be served here; on a thread that may block. */
public interface ServingListener {
    void serving(int container);

    void stopped(int container);

    /** The store has a container more, which is not served yet. */
    default void added(int container) {}

    /** The store has it no more. */
    default void removed(int container) {}
}
