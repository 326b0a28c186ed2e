package io.sluice.broker.coordination;

import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.function.Supplier;

/** Asks something on a container's loop and waits for what it answers. */
record LoopCall<T>(Supplier<T> question, LoopAnswer<T> result) implements LoopTask {
    static <T> T on(SegmentContainer container, Supplier<T> question, Duration atMost) {
        LoopCall<T> call = new LoopCall<>(question, new LoopAnswer<>());
        container.execute(call);
        return call.result.await(atMost);
    }

    @Override
    public void run() {
        try {
            result.answer(question.get());
        } catch (RuntimeException e) {
            result.fail(e);
        }
    }

    @Override
    public void abandoned(StoreFailure why) {
        result.fail(why);
    }
}
