package io.sluice.store.container;

/** Every task is a virtual thread. */
public final class VirtualThreads implements Tasks {
    @Override
    public void start(String name, Runnable task) {
        Thread.ofVirtual().name(name).start(task);
    }
}
