package io.sluice.store.container;

/**
 * Runs what blocks. In the server each task is a virtual thread; in the simulation it is an event.
 *
 * <p>A task posts its result back to the loop it came from.
 */
public interface Tasks {
    /** {@code name} says what the task does, for thread dumps. */
    void start(String name, Runnable task);
}
