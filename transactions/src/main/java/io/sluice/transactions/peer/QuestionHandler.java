package io.sluice.transactions.peer;

import io.sluice.broker.peer.PeerHandler;
import io.sluice.transactions.LocalTransactions;
import io.sluice.transactions.TransactionError;
import io.sluice.transactions.TransactionQuestion;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Answers questions of other nodes to coordinators here. */
record QuestionHandler(LocalTransactions local) implements PeerHandler {
    @Override
    public CompletableFuture<byte[]> answer(Asked asked) {
        List<TransactionQuestion> questions;
        try {
            questions = QuestionBodies.questions(asked.body(), asked.version());
        } catch (IllegalArgumentException e) {
            return Fields.refused(e);
        }
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        @Nullable TransactionError[] answers = new TransactionError[questions.size()];
        AtomicInteger left = new AtomicInteger(answers.length + 1);
        Runnable one = () -> {
            if (left.decrementAndGet() == 0) {
                answer.complete(QuestionBodies.answers(answers));
            }
        };
        for (int i = 0; i < answers.length; i++) {
            int at = i;
            local.ask(questions.get(i), error -> {
                answers[at] = error;
                one.run();
            });
        }
        one.run();
        return answer;
    }
}
