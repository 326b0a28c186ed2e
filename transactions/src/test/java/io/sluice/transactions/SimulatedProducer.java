package io.sluice.transactions;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A client: one call at a time, repeated when it may be, given up when it may not. Forgets a call that a crash swallowed. */
final class SimulatedProducer implements SimulatedClient {
    private static final int TIMEOUT_MILLIS = 60_000;

    private final String id;
    private final boolean bumps;
    private final Random random;
    private final SimulatedPartitions partitions;
    private ProducerIdentity identity = ProducerIdentity.NONE;
    private Attempt attempt = new Attempt();
    private @Nullable Boolean ending;
    private boolean waits;
    private int calls;

    /** One transaction as the client means it. */
    static final class Attempt {
        private @Nullable Boolean answered;

        /** What the client was told; null if nothing. */
        @Nullable
        Boolean answered() {
            return answered;
        }

        void answer(boolean commit) {
            answered = commit;
        }
    }

    SimulatedProducer(String id, boolean bumps, Random random, SimulatedPartitions partitions) {
        this.id = id;
        this.bumps = bumps;
        this.random = random;
        this.partitions = partitions;
    }

    @Override
    public void disconnected() {
        waits = false;
        calls++;
    }

    @Override
    public void step(TransactionShard shard, LongIds ids) {
        if (waits) {
            return;
        }
        if (identity.equals(ProducerIdentity.NONE) || ending == null && random.nextInt(400) == 0) {
            call(answer -> shard.init(id, TIMEOUT_MILLIS, null, ids.next(), answer), this::begins);
        } else if (ending != null || random.nextInt(4) == 0) {
            boolean commit = ending == null ? random.nextInt(3) > 0 : ending;
            ending = commit;
            call(answer -> shard.end(id, identity, commit, bumps, ids.next(), answer), next -> ended(commit, next));
        } else {
            write(shard, partitions.some());
        }
    }

    private void write(TransactionShard shard, Participant partition) {
        TopicPartition kafka = partition.toKafka();
        // Some wait; the deadline is in the past, or never comes.
        long deadline = random.nextInt(4) == 0 ? 0 : Long.MAX_VALUE;
        boolean joins = random.nextInt(4) > 0;
        Call adding = joins
                ? answer -> shard.join(id, new Joining(identity, bumps, Set.of(kafka), deadline, answer))
                : answer -> shard.add(id, identity, Set.of(kafka), bumps, answer);
        call(adding, added -> {
            if (partition.subscription() != null) {
                ProducerIdentity self = identity;
                partitions.verifyAndAppend(
                        new TransactionQuestion(id, self, partition, null),
                        attempt,
                        () -> shard.verify(id, TransactionUser.ANY, self, kafka) == null);
            } else if (shard.verify(id, TransactionUser.ANY, identity, kafka) == null) {
                partitions.append(partition, identity, attempt);
            }
        });
    }

    private void begins(ProducerIdentity now) {
        identity = now;
        attempt = new Attempt();
        ending = null;
    }

    private void ended(boolean commit, ProducerIdentity next) {
        attempt.answered = commit;
        begins(bumps ? next : identity);
    }

    private interface Call {
        void make(CallAnswer answer);
    }

    private interface Then {
        void go(ProducerIdentity answered);
    }

    private void call(Call call, Then then) {
        waits = true;
        int number = ++calls;
        call.make(new CallAnswer() {
            @Override
            public void done(ProducerIdentity answered) {
                if (number == calls) {
                    waits = false;
                    then.go(answered);
                }
            }

            @Override
            public void refused(TransactionError why) {
                if (number == calls) {
                    waits = false;
                    if (!why.isRetriable()) {
                        identity = ProducerIdentity.NONE;
                        begins(identity);
                    }
                }
            }
        });
    }

    /** Hands out producer ids. */
    static final class LongIds {
        private long last;

        long next() {
            return ++last;
        }
    }

    static List<SimulatedClient> some(Random random, SimulatedPartitions partitions) {
        // Two of each id, which fence each other; some speak the older protocol, and some have an id for each
        // transaction.
        return IntStream.range(0, 9)
                .mapToObj(i -> i < 6
                        ? new SimulatedProducer("id-" + i / 2, i < 2, random, partitions)
                        : new SimulatedSingle(random, partitions))
                .toList();
    }
}
