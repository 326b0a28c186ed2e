package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/** OffsetForLeaderEpoch, versions 2-4 (KIP-320). As Kafka. */
public final class OffsetForLeaderEpochHandler implements ApiHandler {
    private final KafkaServices services;

    public OffsetForLeaderEpochHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_FOR_LEADER_EPOCH;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        OffsetForLeaderEpochRequestData asked = (OffsetForLeaderEpochRequestData) request.data();
        OffsetForLeaderEpochResponseData answer = new OffsetForLeaderEpochResponseData();
        PartitionWork work = new PartitionWork(services, () -> context.complete(answer));
        boolean all = services.access().hasOnCluster(context.principal(), Operation.CLUSTER_ACTION);
        for (OffsetForLeaderTopic topicAsked : asked.topics()) {
            TopicLookup topic = all
                    ? services.access().find(topicAsked.topic())
                    : services.access().find(context.principal(), Operation.DESCRIBE, topicAsked.topic());
            OffsetForLeaderTopicResult topicAnswer = new OffsetForLeaderTopicResult().setTopic(topicAsked.topic());
            answer.topics().add(topicAnswer);
            for (OffsetForLeaderPartition partition : topicAsked.partitions()) {
                EpochEndOffset slot = new EpochEndOffset().setPartition(partition.partition());
                topicAnswer.partitions().add(slot);
                work.add(topic, partition.partition(), new EndOfEpoch(partition, slot));
            }
        }
        work.start();
    }

    private record EndOfEpoch(OffsetForLeaderPartition asked, EpochEndOffset answer) implements PartitionWork.Question {
        @Override
        public void ask(PartitionLog log, Runnable done) {
            Errors epoch = PartitionWork.checkEpoch(log, asked.currentLeaderEpoch());
            if (epoch != Errors.NONE) {
                fail(epoch);
            } else if (asked.leaderEpoch() == log.leaderEpoch()) {
                answer.setLeaderEpoch(log.leaderEpoch()).setEndOffset(log.durableEnd());
            } else {
                PartitionLog.EpochEnd end = log.endOfEpoch(asked.leaderEpoch());
                answer.setLeaderEpoch(end.epoch()).setEndOffset(end.endOffset());
            }
            done.run();
        }

        @Override
        public void fail(Errors error) {
            answer.setErrorCode(error.code());
        }
    }
}
