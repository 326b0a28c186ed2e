package io.sluice.transactions;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A client of single transactions: one call at a time. The call to end one it repeats until it is answered, whatever crashes in
 * between; and when it is, all partitions have the outcome.
 */
final class SimulatedSingle implements SimulatedClient {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final String OWNER = "owner";
    private static final TransactionUser SELF = TransactionUser.named(OWNER);
    private static final TransactionUser STRANGER = TransactionUser.named("stranger");

    private final Random random;
    private final SimulatedPartitions partitions;
    private @Nullable SingleTransaction open;
    private SimulatedProducer.Attempt attempt = new SimulatedProducer.Attempt();
    private @Nullable Boolean ending;
    private final List<Participant> told = new ArrayList<>();
    private boolean waits;
    private int calls;
    private int steps;

    SimulatedSingle(Random random, SimulatedPartitions partitions) {
        this.random = random;
        this.partitions = partitions;
    }

    @Override
    public void disconnected() {
        waits = false;
        calls++;
    }

    @Override
    public void step(TransactionShard shard, SimulatedProducer.LongIds ids) {
        SingleTransaction now = open;
        steps++;
        if (now != null && steps % 8 == 0) {
            shard.endSingle(now.id(), STRANGER, steps % 16 == 0, new Stranger());
            for (Participant partition : told) {
                if (shard.verify(now.id(), STRANGER, now.producer(), partition.toKafka()) == null) {
                    throw new AssertionError("a client that does not own a transaction may write in it");
                }
            }
        }
        if (waits) {
            return;
        }
        if (now == null) {
            var next = new SingleTransaction(0, ids.next());
            call(answer -> shard.singles().begin(next, TIMEOUT_MILLIS, OWNER, answer), () -> open = next);
        } else if (ending != null || random.nextInt(4) == 0) {
            boolean commit = ending == null ? random.nextInt(3) > 0 : ending;
            ending = commit;
            call(answer -> shard.endSingle(now.id(), SELF, commit, answer), () -> ended(commit));
        } else {
            boolean again = !told.isEmpty() && random.nextBoolean();
            write(shard, now, again ? told.get(random.nextInt(told.size())) : partitions.some());
        }
    }

    /** Clients tell the coordinator of each partition once. */
    private void write(TransactionShard shard, SingleTransaction now, Participant partition) {
        if (told.contains(partition)) {
            verifyAndAppend(shard, now, partition);
            return;
        }
        Set<TopicPartition> added = Set.of(partition.toKafka());
        call(
                answer -> shard.joinSingle(
                        now.id(), SELF, new Joining(now.producer(), false, added, Long.MAX_VALUE, answer)),
                () -> {
                    told.add(partition);
                    verifyAndAppend(shard, now, partition);
                });
    }

    private void verifyAndAppend(TransactionShard shard, SingleTransaction now, Participant partition) {
        partitions.verifyAndAppend(
                TransactionQuestion.verifying(now, OWNER, partition),
                attempt,
                () -> shard.verify(now.id(), SELF, now.producer(), partition.toKafka()) == null);
    }

    private void ended(boolean commit) {
        attempt.answer(commit);
        SimulatedProducer.Attempt ended = attempt;
        if (partitions.records().stream()
                .anyMatch(record -> record.transaction() == ended && record.committed() == null)) {
            throw new AssertionError("a client is told that its transaction has ended, and a partition does not know");
        }
        next();
    }

    private void next() {
        open = null;
        ending = null;
        told.clear();
        attempt = new SimulatedProducer.Attempt();
    }

    private static final class Stranger implements CallAnswer {
        @Override
        public void done(ProducerIdentity producer) {
            throw new AssertionError("a client that does not own a transaction ends it");
        }

        @Override
        public void refused(TransactionError why) {}
    }

    private interface Call {
        void make(CallAnswer answer);
    }

    private void call(Call call, Runnable then) {
        waits = true;
        int number = ++calls;
        call.make(new CallAnswer() {
            @Override
            public void done(ProducerIdentity answered) {
                if (number == calls) {
                    waits = false;
                    then.run();
                }
            }

            @Override
            public void refused(TransactionError why) {
                if (number != calls) {
                    return;
                }
                waits = false;
                if (!why.isRetriable()) {
                    next();
                }
            }
        });
    }
}
