package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Producer;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.DescribeProducersResponseData.TopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * DescribeProducers, v0: who writes in a partition and whose transactions are open there, by which tools find those that hang.
 *
 * <p>Difference from Kafka: a producer's last timestamp is by the log's clock, to the minute.
 */
public final class DescribeProducersHandler implements ApiHandler {
    private final KafkaServices services;

    public DescribeProducersHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_PRODUCERS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DescribeProducersResponseData answer = new DescribeProducersResponseData();
        PartitionWork work = new PartitionWork(services, () -> context.complete(answer));
        for (TopicRequest topic : ((DescribeProducersRequestData) request.data()).topics()) {
            TopicLookup lookup = services.access().find(context.principal(), Operation.READ, topic.name());
            TopicResponse topicAnswer = new TopicResponse().setName(topic.name());
            answer.topics().add(topicAnswer);
            for (int partition : topic.partitionIndexes()) {
                PartitionResponse slot = new PartitionResponse().setPartitionIndex(partition);
                topicAnswer.partitions().add(slot);
                work.add(lookup, partition, new Description(slot));
            }
        }
        work.start();
    }

    private record Description(PartitionResponse answer) implements PartitionWork.Question {
        @Override
        public void ask(PartitionLog log, Runnable done) {
            log.transactions()
                    .producers()
                    .forEach(producer -> answer.activeProducers().add(state(producer)));
            done.run();
        }

        @Override
        public void fail(Errors error) {
            answer.setErrorCode(error.code()).setErrorMessage(error.message());
        }

        private static ProducerState state(Producer producer) {
            return new ProducerState()
                    .setProducerId(producer.producerId())
                    .setProducerEpoch(producer.epoch())
                    .setLastSequence(producer.lastSequence())
                    .setLastTimestamp(producer.lastSeen())
                    .setCoordinatorEpoch(producer.coordinatorEpoch())
                    .setCurrentTxnStartOffset(producer.openFrom());
        }
    }
}
