package io.sluice.store.segment;

import java.util.function.Consumer;

/** {@link LoopTask}s from lambdas. */
public final class LoopTasks {
    private LoopTasks() {}

    /** For tests that do not stop the container under the task. */
    public static LoopTask of(Runnable run) {
        return of(run, why -> {});
    }

    public static LoopTask of(Runnable run, Consumer<StoreFailure> abandoned) {
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
