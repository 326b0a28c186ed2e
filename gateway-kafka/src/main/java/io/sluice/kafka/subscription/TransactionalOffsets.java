package io.sluice.kafka.subscription;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.api.TransactionChecks;
import io.sluice.kafka.subscription.CommitInTransaction.Transaction;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Positions of subscriptions that move with the transaction of a Kafka producer (ADR 0102). Any thread; does not block. */
public final class TransactionalOffsets {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionalOffsets.class);

    private static final Pattern FROM = Pattern.compile("(?:^|&)from=(\\d{1,18})(?:&|$)");

    private final KafkaServices services;
    private final TransactionChecks checks;

    public TransactionalOffsets(KafkaServices services, TransactionChecks checks) {
        this.services = services;
        this.checks = checks;
    }

    /** Has this node answer others. */
    public void answerOthers(PartitionSteps steps) {
        steps.add(CommitInTransaction.CODE, in -> CommitInTransaction.read(in, checks));
    }

    /**
     * As TxnOffsetCommit answers; rights were looked at, and partitions are there. A member's id, if there is one, is the name of the consumer
     * that has to be served now; its generation means nothing. {@code from=OFFSET} in an offset's metadata is the first message that the transaction
     * is of.
     *
     * @param bumps whether the producer has a new epoch after each transaction
     */
    public CompletableFuture<TxnOffsetCommitResponseData> commit(TxnOffsetCommitRequestData asked, boolean bumps) {
        SubscriptionGroup group = SubscriptionGroup.parse(asked.groupId());
        Map<TxnOffsetCommitRequestPartition, CompletableFuture<Errors>> own = new HashMap<>();
        if (group != null && services.access().find(group.topic()) instanceof TopicLookup.Found(Topic topic)) {
            var transaction = new Transaction(
                    asked.transactionalId(), new ProducerIdentity(asked.producerId(), asked.producerEpoch()), bumps);
            asked.topics().stream()
                    .filter(each -> each.name().equals(group.topic()))
                    .flatMap(each -> each.partitions().stream())
                    .forEach(each -> own.computeIfAbsent(each, _ -> {
                        var place = Participant.of(topic.name(), each.partitionIndex(), group.subscription());
                        return commit(
                                topic,
                                new CommitInTransaction(
                                        place,
                                        transaction,
                                        each.committedOffset(),
                                        from(each.committedMetadata()),
                                        asked.memberId(),
                                        checks));
                    }));
        }
        // a group has the positions of its own topic only
        Errors ofOthers = group == null ? Errors.INVALID_GROUP_ID : Errors.INVALID_REQUEST;
        return CompletableFuture.allOf(own.values().toArray(CompletableFuture[]::new))
                .thenApply(_ -> new TxnOffsetCommitResponseData()
                        .setTopics(asked.topics().stream()
                                .map(topic -> answer(topic, own, ofOthers))
                                .toList()));
    }

    /** Offset that the metadata says, in the form of a URL's query as that of a fetched offset; -1 if it says none. */
    private static long from(@Nullable String metadata) {
        Matcher found = FROM.matcher(metadata == null ? "" : metadata);
        return found.find() ? Long.parseLong(found.group(1)) : -1;
    }

    private CompletableFuture<Errors> commit(Topic topic, CommitInTransaction step) {
        return services.partitions()
                .ask(topic, step.place().partition(), step)
                .exceptionally(TransactionalOffsets::errorOf);
    }

    /** Producers ask again where it may pass. */
    private static Errors errorOf(Throwable why) {
        return switch (StoreException.failureIn(why)) {
            case StoreFailure.NotOwner _,
                    StoreFailure.Sealed _,
                    StoreFailure.Overloaded _,
                    StoreFailure.TierUnavailable _ -> Errors.COORDINATOR_LOAD_IN_PROGRESS;
            case StoreFailure.NoSuchSegment _ -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case null, default -> {
                LOG.error("A position of a subscription was not set in a transaction", why);
                yield Errors.UNKNOWN_SERVER_ERROR;
            }
        };
    }

    private static TxnOffsetCommitResponseTopic answer(
            TxnOffsetCommitRequestTopic asked,
            Map<TxnOffsetCommitRequestPartition, CompletableFuture<Errors>> own,
            Errors ofOthers) {
        List<TxnOffsetCommitResponsePartition> partitions = asked.partitions().stream()
                .map(each -> new TxnOffsetCommitResponsePartition()
                        .setPartitionIndex(each.partitionIndex())
                        .setErrorCode((own.containsKey(each) ? own.get(each).join() : ofOthers).code()))
                .toList();
        return new TxnOffsetCommitResponseTopic()
                .setName(asked.name())
                .setTopicId(asked.topicId())
                .setPartitions(partitions);
    }
}
