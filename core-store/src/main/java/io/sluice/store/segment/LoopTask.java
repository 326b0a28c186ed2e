package io.sluice.store.segment;

import java.util.function.Consumer;

/** Work for a container's loop. Exactly one of the two methods is called, once, on the loop, unless it is cancelled. */
public interface LoopTask {
    /** Runs on the loop, in the order in which tasks of one thread were submitted. Never blocks. */
    void run();

    /** The container stopped before the task's turn came; release what the task holds and answer the client. */
    void abandoned(StoreFailure why);

    /**
     * An append that waits until there is room, however long, instead of being refused as overload: because its client takes
     * a refusal for a broken connection, and sends nothing more while it waits. Never changes.
     */
    default boolean patient() {
        return false;
    }

    /** A task that holds nothing: if the container stops first, nothing is left to do. */
    static LoopTask of(Runnable run) {
        return of(run, why -> {});
    }

    static LoopTask of(Runnable run, Consumer<StoreFailure> abandoned) {
        return new LoopTask() {
            @Override
            public void run() {
                run.run();
            }

            @Override
            public void abandoned(StoreFailure why) {
                abandoned.accept(why);
            }
        };
    }
}
