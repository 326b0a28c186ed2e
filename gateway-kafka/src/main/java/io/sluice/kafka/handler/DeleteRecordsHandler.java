package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.store.segment.Durable;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/** DeleteRecords, versions 0-2. Of a partition that is named twice the last offset counts. Difference from Kafka: the new start is durable when it is answered. */
public final class DeleteRecordsHandler implements ApiHandler {
    /** Stands for the end of the log. */
    private static final long HIGH_WATERMARK = -1;

    private final KafkaServices services;

    public DeleteRecordsHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_RECORDS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DeleteRecordsRequestData asked = (DeleteRecordsRequestData) request.data();
        DeleteRecordsResponseData answer = new DeleteRecordsResponseData();
        PartitionWork work = new PartitionWork(services, () -> context.complete(answer));
        Map<TopicPartition, DeleteRecordsPartition> last = new HashMap<>();
        asked.topics()
                .forEach(topic -> topic.partitions()
                        .forEach(each -> last.put(new TopicPartition(topic.name(), each.partitionIndex()), each)));
        for (DeleteRecordsTopic topicAsked : asked.topics()) {
            TopicLookup lookup = services.access().find(context.principal(), Operation.DELETE, topicAsked.name());
            Errors refusal = lookup instanceof TopicLookup.Found(Topic topic) ? refusal(topic) : Errors.NONE;
            DeleteRecordsTopicResult topicAnswer = answer.topics().find(topicAsked.name());
            if (topicAnswer == null) {
                topicAnswer = new DeleteRecordsTopicResult().setName(topicAsked.name());
                answer.topics().add(topicAnswer);
            }
            for (DeleteRecordsPartition partition : topicAsked.partitions()) {
                if (last.get(new TopicPartition(topicAsked.name(), partition.partitionIndex())) != partition) {
                    continue;
                }
                DeleteRecordsPartitionResult slot = new DeleteRecordsPartitionResult()
                        .setPartitionIndex(partition.partitionIndex())
                        .setLowWatermark(-1);
                topicAnswer.partitions().add(slot);
                if (refusal != Errors.NONE) {
                    slot.setErrorCode(refusal.code());
                } else {
                    work.add(lookup, partition.partitionIndex(), new Deletion(partition, slot));
                }
            }
        }
        work.start();
    }

    /** Records of a shadow topic are its source's. */
    private static Errors refusal(Topic topic) {
        return topic.internal()
                ? Errors.INVALID_TOPIC_EXCEPTION
                : topic.isShadow() ? Errors.POLICY_VIOLATION : Errors.NONE;
    }

    private record Deletion(DeleteRecordsPartition asked, DeleteRecordsPartitionResult answer)
            implements PartitionWork.Question {
        @Override
        public void ask(PartitionLog log, Runnable done) {
            long offset = asked.offset() == HIGH_WATERMARK ? log.durableEnd() : asked.offset();
            if (offset < 0 || offset > log.durableEnd()) {
                fail(Errors.OFFSET_OUT_OF_RANGE);
                done.run();
                return;
            }
            Durable deleted = Durable.of(
                    () -> {
                        answer.setLowWatermark(log.startOffset());
                        done.run();
                    },
                    why -> {
                        fail(KafkaErrors.toConsumer(why));
                        done.run();
                    });
            log.retention().deleteBefore(offset, deleted);
        }

        @Override
        public void fail(Errors error) {
            answer.setErrorCode(error.code());
        }
    }
}
