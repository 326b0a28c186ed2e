package io.sluice.server.containers;

/** Told when a container begins and ceases to be served here; on a thread that may block. */
public interface ServingListener {
    void serving(int container);

    void stopped(int container);
}
