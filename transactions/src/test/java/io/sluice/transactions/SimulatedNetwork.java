package io.sluice.transactions;

import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerHandler.Asked;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerQuestion;
import io.sluice.broker.peer.Peers;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Nodes ask each other. Questions come in any order, late, also when they were given up, twice or not at all, and answers do not
 * always.
 */
final class SimulatedNetwork {
    private final Random random;
    private final IntFunction<PeerHandlers> handlers;
    private final List<Question> questions = new ArrayList<>();
    /** Given up, and still on their way. */
    private final List<Question> late = new ArrayList<>();

    private final List<Runnable> answers = new ArrayList<>();
    private int unanswered;
    private boolean calm;

    private record Question(int from, int to, PeerQuestion asked, CompletableFuture<byte[]> answer) {}

    /** @param handlers of a node as it is now */
    SimulatedNetwork(Random random, IntFunction<PeerHandlers> handlers) {
        this.random = random;
        this.handlers = handlers;
    }

    Peers of(int from) {
        return (to, question, timeout) -> {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            questions.add(new Question(from, to, question, answer));
            unanswered++;
            answer.whenComplete((bytes, failure) -> unanswered--);
            return answer;
        };
    }

    /** From here on nothing is lost. */
    void calm() {
        calm = true;
    }

    boolean hasWork() {
        return unanswered > 0 || !questions.isEmpty() || !late.isEmpty();
    }

    void step() {
        if (!late.isEmpty() && (calm || random.nextInt(20) == 0)) {
            deliver(late.remove(random.nextInt(late.size())));
        } else if (!answers.isEmpty() && (questions.isEmpty() || random.nextBoolean())) {
            answers.remove(random.nextInt(answers.size())).run();
        } else if (!questions.isEmpty()) {
            deliverOne();
        }
    }

    private void deliverOne() {
        int which = random.nextInt(questions.size());
        Question next = questions.remove(which);
        int how = calm ? Integer.MAX_VALUE : random.nextInt(20);
        if (how == 0) {
            fail(next, Reason.TIMED_OUT);
        } else if (how < 4) {
            late.add(next);
            fail(next, Reason.TIMED_OUT);
        } else {
            if (how == 4) {
                late.add(next);
            }
            deliver(next);
        }
    }

    private static void fail(Question question, Reason why) {
        question.answer.completeExceptionally(new PeerException(why, "node " + question.to));
    }

    private void deliver(Question question) {
        PeerQuestion asked = question.asked;
        handlers.apply(question.to)
                .answer(asked.kind(), new Asked(question.from, asked.version(), asked.body(), Long.MAX_VALUE))
                .whenComplete((bytes, failure) -> answers.add(() -> answer(question, bytes, failure)));
    }

    private void answer(Question question, byte @Nullable [] bytes, @Nullable Throwable failure) {
        if (!calm && random.nextInt(10) == 0) {
            fail(question, Reason.CONNECTION_LOST);
        } else if (bytes != null) {
            question.answer.complete(bytes);
        } else if (failure != null) {
            question.answer.completeExceptionally(failure);
        }
    }
}
