package io.sluice.kafka.share;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.conversion.EntryConversions;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.format.TopicNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.server.share.persister.DeleteShareGroupStateParameters;
import org.apache.kafka.server.share.persister.DeleteShareGroupStateResult;
import org.apache.kafka.server.share.persister.InitializeShareGroupStateParameters;
import org.apache.kafka.server.share.persister.InitializeShareGroupStateResult;
import org.apache.kafka.server.share.persister.PartitionErrorData;
import org.apache.kafka.server.share.persister.PartitionFactory;
import org.apache.kafka.server.share.persister.PartitionIdData;
import org.apache.kafka.server.share.persister.PartitionInfoData;
import org.apache.kafka.server.share.persister.PartitionStateSummaryData;
import org.apache.kafka.server.share.persister.Persister;
import org.apache.kafka.server.share.persister.ReadShareGroupStateParameters;
import org.apache.kafka.server.share.persister.ReadShareGroupStateResult;
import org.apache.kafka.server.share.persister.ReadShareGroupStateSummaryParameters;
import org.apache.kafka.server.share.persister.ReadShareGroupStateSummaryResult;
import org.apache.kafka.server.share.persister.TopicData;
import org.apache.kafka.server.share.persister.WriteShareGroupStateParameters;
import org.apache.kafka.server.share.persister.WriteShareGroupStateResult;
import org.apache.kafka.server.util.PartitionMetadataClient;
import org.jspecify.annotations.Nullable;

/**
 * State of share groups for Kafka's group coordinator: it lies with each partition, wherever that is served, and is asked for there. The
 * coordinator sets, deletes and looks at it; members' fetches and acknowledgements, which change it, do not come this way.
 */
public final class ShareState implements Persister, PartitionMetadataClient {
    private final KafkaServices services;
    private final SharePartitions here;
    private final ShareSettings settings;

    public ShareState(KafkaServices services, ShareSettings settings) {
        this.services = services;
        this.settings = settings;
        this.here = new SharePartitions(settings);
    }

    /** For fetches and acknowledgements at this node. */
    public ShareGroups groups(EntryConversions conversions) {
        return new ShareGroups(settings, here, conversions);
    }

    /** Has this node answer others. */
    public void answerOthers(PartitionSteps steps) {
        steps.add(ChangeShare.CODE, in -> ChangeShare.read(in, here));
        steps.add(LookAtShare.CODE, LookAtShare::read);
    }

    private @Nullable Topic find(Uuid id) {
        return services.topics().find(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
    }

    /** A group that has not been in a partition begins there with its first fetch, by its settings. */
    @Override
    public CompletableFuture<InitializeShareGroupStateResult> initializeState(
            InitializeShareGroupStateParameters request) {
        String group = request.groupTopicPartitionData().groupId();
        return each(
                        request.groupTopicPartitionData().topicsData(),
                        (topic, partition) -> partition.startOffset() < 0
                                ? CompletableFuture.completedFuture(error(partition, Errors.NONE))
                                : topic == null
                                        ? CompletableFuture.completedFuture(
                                                error(partition, Errors.UNKNOWN_TOPIC_OR_PARTITION))
                                        : change(topic, partition, group, partition.startOffset()))
                .thenApply(topics -> new InitializeShareGroupStateResult.Builder()
                        .setTopicsData(topics)
                        .build());
    }

    /** A topic that is gone has taken its state along. */
    @Override
    public CompletableFuture<DeleteShareGroupStateResult> deleteState(DeleteShareGroupStateParameters request) {
        String group = request.groupTopicPartitionData().groupId();
        return each(
                        request.groupTopicPartitionData().topicsData(),
                        (topic, partition) -> topic == null
                                ? CompletableFuture.completedFuture(error(partition, Errors.NONE))
                                : change(topic, partition, group, ChangeShare.DELETE))
                .thenApply(topics -> new DeleteShareGroupStateResult.Builder()
                        .setTopicsData(topics)
                        .build());
    }

    private CompletableFuture<PartitionErrorData> change(
            Topic topic, PartitionIdData partition, String group, long offset) {
        return ask(topic, partition.partition(), new ChangeShare(group, offset, here))
                .handle((done, failure) -> error(
                        partition,
                        failure != null
                                ? Errors.COORDINATOR_NOT_AVAILABLE
                                : done ? Errors.NONE : Errors.INVALID_REQUEST));
    }

    private static PartitionErrorData error(PartitionIdData partition, Errors error) {
        return PartitionFactory.newPartitionErrorData(
                partition.partition(), error.code(), error == Errors.NONE ? "" : error.message());
    }

    @Override
    public CompletableFuture<ReadShareGroupStateSummaryResult> readSummary(
            ReadShareGroupStateSummaryParameters request) {
        String group = request.groupTopicPartitionData().groupId();
        return each(
                        request.groupTopicPartitionData().topicsData(),
                        (topic, partition) -> topic == null
                                ? CompletableFuture.completedFuture(
                                        unknown(partition, Errors.UNKNOWN_TOPIC_OR_PARTITION))
                                : ask(topic, partition.partition(), new LookAtShare(group))
                                        .handle((found, failure) -> failure == null
                                                ? summary(partition, found)
                                                : unknown(partition, Errors.COORDINATOR_NOT_AVAILABLE)))
                .thenApply(topics -> new ReadShareGroupStateSummaryResult.Builder()
                        .setTopicsData(topics)
                        .build());
    }

    private static PartitionStateSummaryData summary(PartitionIdData partition, LookAtShare.Found found) {
        return PartitionFactory.newPartitionStateSummaryData(
                partition.partition(),
                PartitionFactory.DEFAULT_STATE_EPOCH,
                found.start(),
                (int) Math.min(found.doneAbove(), Integer.MAX_VALUE),
                found.leaderEpoch(),
                Errors.NONE.code(),
                "");
    }

    private static PartitionStateSummaryData unknown(PartitionIdData partition, Errors error) {
        return PartitionFactory.newPartitionStateSummaryData(
                partition.partition(),
                PartitionFactory.DEFAULT_STATE_EPOCH,
                PartitionFactory.UNINITIALIZED_START_OFFSET,
                PartitionFactory.UNINITIALIZED_DELIVERY_COMPLETE_COUNT,
                PartitionFactory.DEFAULT_LEADER_EPOCH,
                error.code(),
                error.message());
    }

    private <T> CompletableFuture<T> ask(Topic topic, int partition, PartitionStep<T> step) {
        return KafkaServices.hasPartition(topic, partition)
                ? services.partitions().ask(topic, partition, step)
                : CompletableFuture.failedFuture(Errors.UNKNOWN_TOPIC_OR_PARTITION.exception());
    }

    /** Asks something of every partition, side by side. */
    private <P extends PartitionIdData, R extends PartitionInfoData> CompletableFuture<List<TopicData<R>>> each(
            List<TopicData<P>> topics, BiFunction<@Nullable Topic, P, CompletableFuture<R>> question) {
        List<CompletableFuture<TopicData<R>>> answers = new ArrayList<>();
        for (TopicData<P> each : topics) {
            Topic topic = find(each.topicId());
            List<CompletableFuture<R>> asked = each.partitions().stream()
                    .map(partition -> question.apply(topic, partition))
                    .toList();
            answers.add(all(asked).thenApply(results -> new TopicData<>(each.topicId(), results)));
        }
        return all(answers);
    }

    private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> asked) {
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(_ -> asked.stream().map(CompletableFuture::join).toList());
    }

    /** The coordinator does not ask for this: a partition's own state is where its records are. */
    @Override
    public CompletableFuture<ReadShareGroupStateResult> readState(ReadShareGroupStateParameters request) {
        return CompletableFuture.failedFuture(Errors.UNSUPPORTED_VERSION.exception());
    }

    /** As {@link #readState}. */
    @Override
    public CompletableFuture<WriteShareGroupStateResult> writeState(WriteShareGroupStateParameters request) {
        return CompletableFuture.failedFuture(Errors.UNSUPPORTED_VERSION.exception());
    }

    @Override
    public void stop() {}

    @Override
    public Map<TopicPartition, CompletableFuture<OffsetResponse>> listLatestOffsets(Set<TopicPartition> asked) {
        Map<TopicPartition, CompletableFuture<OffsetResponse>> answers = new HashMap<>();
        asked.forEach(each -> answers.put(each, latest(each)));
        return answers;
    }

    private CompletableFuture<OffsetResponse> latest(TopicPartition which) {
        TopicName name = TopicNames.fromKafka(which.topic());
        Topic topic = name == null ? null : services.topics().find(name);
        return topic == null
                ? CompletableFuture.completedFuture(new OffsetResponse(-1, Errors.UNKNOWN_TOPIC_OR_PARTITION))
                : ask(topic, which.partition(), new LookAtShare(""))
                        .handle((found, failure) -> failure == null
                                ? new OffsetResponse(found.end(), Errors.NONE)
                                : new OffsetResponse(-1, Errors.COORDINATOR_NOT_AVAILABLE));
    }

    @Override
    public void close() {}
}
