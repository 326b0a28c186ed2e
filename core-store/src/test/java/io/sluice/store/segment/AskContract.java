package io.sluice.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** How every container is asked from outside its loop. One subclass per implementation. The test's thread is the loop. */
public abstract class AskContract {
    /** Serves, and turns only in {@link #turn}. */
    protected abstract SegmentContainer container();

    /** Turns until nothing is left to do. */
    protected abstract void turn();

    /** Nothing becomes durable until {@link #release}. */
    protected abstract void hold();

    protected abstract void release();

    /** Leaves something on its way to the log. On the loop. */
    protected abstract void write();

    /** Ends the term at once, without another turn for what is queued, and what is not durable is lost. */
    protected abstract void stop();

    @Test
    void answersWithWhatTheStepComputesOnTheLoop() throws Exception {
        CompletableFuture<Answer<Boolean>> asked = CompletableFuture.supplyAsync(
                () -> container().ask(() -> container().onLoop()));
        Answer<Boolean> answer = asked.get();
        List<Boolean> chained = new ArrayList<>();
        answer.thenRun(() -> chained.add(container().onLoop()));
        assertThat(answer).isNotDone();
        turn();
        assertThat(answer).isCompletedWithValue(true);
        assertThat(chained).containsExactly(true);
    }

    @Test
    void stepsAndTasksRunInTheOrderInWhichTheyCame() {
        List<String> ran = new ArrayList<>();
        container().ask(() -> ran.add("first"));
        container().execute(LoopTask.of(() -> ran.add("second")));
        container().ask(answer -> ran.add("third"));
        turn();
        assertThat(ran).containsExactly("first", "second", "third");
    }

    @Test
    void aStepAskedOnTheLoopRunsAfterTheOneThatAsks() {
        List<String> ran = new ArrayList<>();
        Answer<Answer<Boolean>> outer = container().ask(() -> {
            Answer<Boolean> inner = container().ask(() -> ran.add("inner"));
            ran.add("outer");
            return inner;
        });
        turn();
        assertThat(ran).containsExactly("outer", "inner");
        assertThat(outer.join()).isCompletedWithValue(true);
    }

    @Test
    void anAnswerMayComeWhenSomethingIsDurable() {
        hold();
        Answer<String> answer = container().ask(later -> {
            write();
            container().barrier(later.onceDurable("durable"));
        });
        turn();
        assertThat(answer).isNotDone();
        release();
        turn();
        assertThat(answer).isCompletedWithValue("durable");
    }

    @Test
    void aStepThatThrowsFailsItsAnswerAlone() {
        IOException checked = new IOException("refused");
        Answer<Void> first = container().ask(() -> {
            throw checked;
        });
        Answer<Void> second = container().ask(answer -> {
            throw new IllegalStateException("broken");
        });
        Answer<String> third = container().ask(() -> "goes on");
        turn();
        assertThatThrownBy(first::get).isInstanceOf(ExecutionException.class).hasCause(checked);
        assertThatThrownBy(second::get).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(third).isCompletedWithValue("goes on");
    }

    @Test
    void whatTheStoreDeclinesIsTheAnswersFailure() {
        Answer<String> answer =
                container().ask(later -> later.fail(new StoreFailure.NoSuchSegment(9, "no such segment")));
        turn();
        assertThat(failureOf(answer)).isEqualTo(new StoreFailure.NoSuchSegment(9, "no such segment"));
        assertThat(failureOf(answer.thenApply(value -> value))).isInstanceOf(StoreFailure.NoSuchSegment.class);
        assertThatThrownBy(answer::get).hasMessageContaining("no such segment");
    }

    @Test
    void theFirstOutcomeCounts() {
        Answer<String> answer = container().ask(later -> {
            later.complete("first");
            later.fail(new StoreFailure.Overloaded("second"));
            throw new IllegalStateException("third");
        });
        turn();
        assertThat(answer).isCompletedWithValue("first");
    }

    @Test
    void aStoppedContainerAnswersAtOnceOnTheThreadThatAsks() throws Exception {
        stop();
        List<String> ran = new ArrayList<>();
        boolean[] here = new boolean[2];
        Thread asks = Thread.ofPlatform().start(() -> {
            Answer<Boolean> now = container().ask(() -> ran.add("ran"));
            here[0] = now.isDone();
            Answer<Boolean> later = container().ask(answer -> ran.add("ran, too"));
            here[1] = failureOf(now) instanceof StoreFailure.NotOwner
                    && failureOf(later) instanceof StoreFailure.NotOwner;
        });
        asks.join();
        assertThat(here).containsExactly(true, true);
        assertThat(ran).isEmpty();
    }

    @Test
    void aStepWhoseTurnHasNotComeIsNotRunWhenTheContainerStops() {
        List<String> ran = new ArrayList<>();
        Answer<Boolean> answer = container().ask(() -> ran.add("ran"));
        stop();
        assertThat(failureOf(answer)).isInstanceOf(StoreFailure.NotOwner.class);
        assertThat(ran).isEmpty();
    }

    @Test
    void aStepThatWaitsForTheLogHearsThatTheContainerStopped() {
        hold();
        Answer<String> answer = container().ask(later -> {
            write();
            container().barrier(later.onceDurable("durable"));
        });
        turn();
        stop();
        assertThat(failureOf(answer)).isInstanceOf(StoreFailure.NotOwner.class);
    }

    @Test
    void aQuestionThatIsGivenUpBeforeItsTurnIsNotRun() {
        List<String> ran = new ArrayList<>();
        Answer<Boolean> answer = container().ask(() -> ran.add("ran"));
        assertThat(answer.cancel(true)).isTrue();
        assertThat(answer.cancel(true)).isFalse();
        turn();
        assertThat(ran).isEmpty();
        assertThat(answer).isCancelled();
    }

    @Test
    void aStepThatHasBegunIsNotGivenUp() {
        hold();
        Answer<String> answer = container().ask(later -> {
            write();
            container().barrier(later.onceDurable("durable"));
        });
        turn();
        assertThat(answer.cancel(true)).isFalse();
        assertThat(answer).isNotDone();
        release();
        turn();
        assertThat(answer).isCompletedWithValue("durable");
        assertThat(answer.cancel(true)).isFalse();
    }

    @Test
    void anAppendIsAskedInItsTurn() {
        List<String> ran = new ArrayList<>();
        Answer<String> first = container().askAppend(later -> {
            ran.add("first");
            write();
            container().barrier(later.onceDurable("durable"));
        });
        Answer<String> second = container().askAppend(later -> later.complete(ran.removeLast()));
        Answer<Boolean> given = container().askAppend(later -> later.complete(ran.add("given up")));
        assertThat(given.cancel(false)).isTrue();
        turn();
        assertThat(first).isCompletedWithValue("durable");
        assertThat(second).isCompletedWithValue("first");
        assertThat(ran).isEmpty();
    }

    protected static StoreFailure failureOf(CompletableFuture<?> answer) {
        return answer.handle((value, why) -> why == null ? null : StoreException.failureIn(why))
                .getNow(null);
    }
}
