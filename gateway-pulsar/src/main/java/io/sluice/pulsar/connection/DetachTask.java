package io.sluice.pulsar.connection;

import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * Takes a producer or a consumer off its partition, on the loop of its container.
 *
 * @param done runs on the connection's event loop afterwards, also if the container is gone
 * @param leave runs also if the container refuses the task as overload
 */
record DetachTask(Outbound out, @Nullable Runnable done, Runnable leave) implements LoopTask {
    @Override
    public void run() {
        leave.run();
        finish();
    }

    @Override
    public void abandoned(StoreFailure why) {
        if (why instanceof StoreFailure.Overloaded) {
            leave.run();
        }
        finish();
    }

    private void finish() {
        if (done != null) {
            out.execute(done);
        }
    }
}
