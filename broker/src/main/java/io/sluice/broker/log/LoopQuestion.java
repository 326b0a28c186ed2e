package io.sluice.broker.log;

import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A question that a container's loop asks another part of the server. The loop goes on with the answer: in the same turn if that is
 * given at once, else in a turn of its own.
 *
 * <pre>
 *   loop: ask ─┬─ answered before the call returns ────► {@link Asker#answered}, in this turn
 *              └─ later, by any thread ─► execute ─────► {@link Asker#answered}, or {@link Asker#abandoned}
 * </pre>
 */
public final class LoopQuestion<A extends @Nullable Object> {
    private final SegmentContainer container;
    private final Asker<A> asker;

    /** Set by the first of two: the answer, and the return of the call that asks. The second goes on. */
    private final AtomicBoolean one = new AtomicBoolean();

    /**
     * Goes on with an answer. Exactly one of the two is called, once, on the loop; of a container that has stopped, on the thread that
     * answers.
     */
    public interface Asker<A extends @Nullable Object> {
        void answered(A answer);

        /** The container stopped before the answer's turn came. */
        void abandoned(StoreFailure why);

        /** Whether a later answer waits its turn among the container's appends; never changes. */
        default boolean appends() {
            return true;
        }

        /** See {@link LoopTask#patient}. */
        default boolean patient() {
            return false;
        }
    }

    private LoopQuestion(SegmentContainer container, Asker<A> asker) {
        this.container = container;
        this.asker = asker;
    }

    /**
     * Asks; on the loop, and of one that {@linkplain Asker#appends appends} in a turn that has room for that.
     *
     * @param question given the callback for its answer, which is called once, on any thread
     */
    public static <A extends @Nullable Object> void ask(
            SegmentContainer container, Consumer<Consumer<A>> question, Asker<A> asker) {
        new LoopQuestion<>(container, asker).ask(question);
    }

    private void ask(Consumer<Consumer<A>> question) {
        Answered given = new Answered();
        question.accept(given);
        if (!one.compareAndSet(false, true)) {
            given.run();
        }
    }

    private final class Answered implements Consumer<A>, LoopTask {
        private @Nullable A answer;

        @Override
        public void accept(A given) {
            answer = given;
            if (one.compareAndSet(false, true)) {
                return;
            }
            if (asker.appends()) {
                container.executeAppend(this);
            } else {
                container.execute(this);
            }
        }

        @Override
        @SuppressWarnings("NullAway") // null only where the asker takes that
        public void run() {
            asker.answered(answer);
        }

        @Override
        public void abandoned(StoreFailure why) {
            asker.abandoned(why);
        }

        @Override
        public boolean patient() {
            return asker.patient();
        }
    }
}
