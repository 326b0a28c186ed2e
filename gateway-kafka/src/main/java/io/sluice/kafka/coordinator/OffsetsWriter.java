package io.sluice.kafka.coordinator;

import io.sluice.broker.coordination.CoordinatorLogException;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.ProduceTransactions.Use;
import io.sluice.store.segment.Durable;
import io.sluice.transactions.ProducerIdentity;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.VerificationGuard;

/** Where Kafka's coordinator writes: the partitions of the offsets topic in our store. Called on the coordinator's threads. */
final class OffsetsWriter implements PartitionWriter {
    /** Largest batch, and so largest group record: four times Kafka's default, so that big classic groups fit. */
    static final int MAX_BATCH_BYTES = 4 << 20;

    /** How often a transaction is verified before its first write, if markers come in between. */
    private static final int VERIFICATIONS = 3;

    private final Map<TopicPartition, OffsetsPartition> partitions;
    private final Duration writeTimeout;
    private final TransactionalCommits transactions;
    private final IntConsumer onLost;
    private final LogConfig config = new LogConfig(Map.of("max.message.bytes", MAX_BATCH_BYTES));

    /** @param onLost told, on a container's loop, of a partition whose term ended with writes under way */
    OffsetsWriter(
            Map<TopicPartition, OffsetsPartition> partitions,
            Duration writeTimeout,
            TransactionalCommits transactions,
            IntConsumer onLost) {
        this.partitions = partitions;
        this.writeTimeout = writeTimeout;
        this.transactions = transactions;
        this.onLost = onLost;
    }

    @Override
    public void registerListener(TopicPartition tp, Listener listener) {
        partition(tp).register(listener);
    }

    @Override
    public void deregisterListener(TopicPartition tp, Listener listener) {
        partition(tp).deregister(listener);
    }

    @Override
    public LogConfig config(TopicPartition tp) {
        return config;
    }

    @Override
    public long append(TopicPartition tp, VerificationGuard guard, MemoryRecords records, short transactionVersion) {
        return partition(tp).append(records, writeTimeout, () -> onLost.accept(tp.partition()));
    }

    /**
     * Asks whether the transaction goes on and has this partition. What the coordinator says the partition remembers by itself, until
     * a marker makes it worthless: so there is nothing to guard.
     */
    @Override
    public CompletableFuture<VerificationGuard> maybeStartTransactionVerification(
            TopicPartition tp, String transactionalId, long producerId, short producerEpoch, int apiVersion) {
        try {
            PartitionLog log = partition(tp).log().partition();
            ProducerIdentity producer = new ProducerIdentity(producerId, producerEpoch);
            Use use = Use.ofTxnOffsetCommit((short) apiVersion);
            return CoordinatorErrors.mapped(log.container()
                    .<VerificationGuard>ask(done -> new OffsetsVerification(
                                    log, tp, transactionalId, producer, use, transactions, VERIFICATIONS, done)
                            .start()));
        } catch (CoordinatorLogException e) {
            return CompletableFuture.failedFuture(CoordinatorErrors.of(e));
        }
    }

    @Override
    public CompletableFuture<Void> deleteRecords(TopicPartition tp, long deleteBeforeOffset) {
        try {
            PartitionLog log = partition(tp).log().partition();
            return CoordinatorErrors.mapped(log.container()
                    .<Void>ask(answer -> log.retention()
                            .deleteBefore(deleteBeforeOffset, Durable.of(() -> answer.complete(null), answer::fail))));
        } catch (CoordinatorLogException e) {
            return CompletableFuture.failedFuture(CoordinatorErrors.of(e));
        }
    }

    private OffsetsPartition partition(TopicPartition tp) {
        OffsetsPartition partition = partitions.get(tp);
        if (partition == null) {
            throw new IllegalArgumentException("no such offsets partition: " + tp);
        }
        return partition;
    }
}
