package io.sluice.transactions;

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

    private final Random random;
    private final SimulatedPartitions partitions;
    private @Nullable SingleTransaction open;
    private SimulatedProducer.Attempt attempt = new SimulatedProducer.Attempt();
    private @Nullable Boolean ending;
    private boolean waits;
    private int calls;

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
        if (waits) {
            return;
        }
        SingleTransaction now = open;
        if (now == null) {
            var next = new SingleTransaction(0, ids.next());
            call(answer -> shard.singles().begin(next, TIMEOUT_MILLIS, answer), () -> open = next);
        } else if (ending != null || random.nextInt(4) == 0) {
            boolean commit = ending == null ? random.nextInt(3) > 0 : ending;
            ending = commit;
            call(answer -> shard.endSingle(now.id(), commit, answer), () -> ended(commit));
        } else {
            write(shard, now, partitions.some(true));
        }
    }

    private void write(TransactionShard shard, SingleTransaction now, Participant partition) {
        TopicPartition kafka = partition.toKafka();
        call(
                answer ->
                        shard.join(now.id(), new Joining(now.producer(), false, Set.of(kafka), Long.MAX_VALUE, answer)),
                () -> partitions.verifyAndAppend(
                        partition,
                        now.producer(),
                        attempt,
                        () -> shard.verify(now.id(), now.producer(), kafka) == null));
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
        attempt = new SimulatedProducer.Attempt();
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
