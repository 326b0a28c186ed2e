package io.sluice.transactions;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Coordinators of all transactions, wherever they are, as participants ask them. Any thread; does not block. */
final class Coordinators {
    private final Function<String, StatePartition> byId;
    private final LongSupplier clock;
    private final RemoteTransactions remote;

    /**
     * @param byId state partition of a transactional id
     * @param clock milliseconds since the epoch
     */
    Coordinators(Function<String, StatePartition> byId, LongSupplier clock, RemoteTransactions remote) {
        this.byId = byId;
        this.clock = clock;
        this.remote = remote;
    }

    /** @param answer null for yes; called at once where this process answers for the id and nothing has to be written */
    void ask(TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
        StatePartition state = byId.apply(question.transactionalId());
        TransactionShard shard = state.shard();
        if (shard != null) {
            ask(shard, question, answer);
        } else if (state.isServed()) {
            answer.accept(TransactionError.LOADING);
        } else {
            remote.ask(state.container(), question, answer);
        }
    }

    /** As {@link #ask}, of this process alone. */
    void askHere(TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
        StatePartition state = byId.apply(question.transactionalId());
        TransactionShard shard = state.shard();
        if (shard == null) {
            answer.accept(state.absence());
        } else {
            ask(shard, question, answer);
        }
    }

    private void ask(
            TransactionShard shard, TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
        var partition = question.partition().toKafka();
        TransactionQuestion.Adding adding = question.adding();
        if (adding == null) {
            TransactionUser user = TransactionUser.named(question.user());
            answer.accept(shard.verify(question.transactionalId(), user, question.producer(), partition));
            return;
        }
        long deadline = clock.getAsLong() + adding.waitMillis();
        CallAnswer joined = new CallAnswer() {
            @Override
            public void done(ProducerIdentity producer) {
                answer.accept(null);
            }

            @Override
            public void refused(TransactionError why) {
                answer.accept(why);
            }
        };
        shard.join(
                question.transactionalId(),
                new Joining(question.producer(), adding.bumps(), Set.of(partition), deadline, joined));
    }
}
