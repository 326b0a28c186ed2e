package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.GroupTransactions;
import io.sluice.transactions.Marker;
import io.sluice.transactions.MarkerAppend;
import io.sluice.transactions.Markers;
import io.sluice.transactions.ProducerIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.WriteTxnMarkersResponse;

/**
 * WriteTxnMarkers, all versions: ends a producer's transaction in the partitions named, whatever its coordinator says. Tools abort
 * what hangs with it.
 *
 * <p>Difference from Kafka: what can be no producer is refused with INVALID_REQUEST, not UNKNOWN_SERVER_ERROR.
 */
public final class WriteTxnMarkersHandler implements ApiHandler {
    private final KafkaServices services;
    private final GroupTransactions groups;

    public WriteTxnMarkersHandler(KafkaServices services, GroupTransactions groups) {
        this.services = services;
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.WRITE_TXN_MARKERS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        KafkaAccess access = services.access();
        if (!access.hasOnCluster(context.principal(), Operation.ALTER)
                && !access.allowsOnCluster(context.principal(), Operation.CLUSTER_ACTION)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
            return;
        }
        Map<Long, Map<TopicPartition, Errors>> answers = new HashMap<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (WritableTxnMarker each : ((WriteTxnMarkersRequestData) request.data()).markers()) {
            Marker marker = new Marker(
                    new ProducerIdentity(each.producerId(), each.producerEpoch()),
                    each.coordinatorEpoch(),
                    each.transactionResult());
            Map<TopicPartition, Errors> answer = answers.computeIfAbsent(each.producerId(), id -> new HashMap<>());
            for (WritableTxnMarkerTopic topic : each.topics()) {
                TopicLookup lookup = access.find(topic.name());
                for (int partition : topic.partitionIndexes()) {
                    Writing writing = new Writing(
                            new TopicPartition(topic.name(), partition), marker, answer, new CompletableFuture<>());
                    all.add(writing.done);
                    write(writing, lookup);
                }
            }
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .whenComplete((done, failure) -> context.complete(new WriteTxnMarkersResponse(answers).data()));
    }

    private void write(Writing writing, TopicLookup lookup) {
        if (writing.marker.producer().id() < 0 || writing.marker.producer().epoch() < 0) {
            writing.answer(Errors.INVALID_REQUEST);
        } else if (writing.partition.topic().equals(groups.topic())) {
            groups.end(
                    writing.partition.partition(),
                    writing.marker,
                    fate -> writing.answer(fate == Markers.Fate.WRITTEN ? Errors.NONE : Errors.NOT_LEADER_OR_FOLLOWER));
        } else {
            switch (lookup) {
                case TopicLookup.Found(Topic topic) -> write(writing, topic);
                case TopicLookup.Refused refused -> writing.answer(refused.error());
            }
        }
    }

    private void write(Writing writing, Topic topic) {
        PartitionLog log = services.log(topic, writing.partition.partition());
        if (log != null) {
            MarkerAppend.start(log, writing.marker, writing);
        } else {
            boolean elsewhere = KafkaServices.hasPartition(topic, writing.partition.partition());
            writing.answer(elsewhere ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
    }

    private record Writing(
            TopicPartition partition, Marker marker, Map<TopicPartition, Errors> answers, CompletableFuture<Void> done)
            implements MarkerAppend.Reply {
        @Override
        public void ended(boolean entry) {
            answer(Errors.NONE);
        }

        @Override
        public void rejected(AppendRejection why) {
            answer(KafkaErrors.of(why));
        }

        @Override
        public void failed(StoreFailure why) {
            answer(KafkaErrors.toProducer(why));
        }

        /** Partitions of different containers are answered by different loops. */
        private void answer(Errors error) {
            synchronized (answers) {
                answers.put(partition, error);
            }
            done.complete(null);
        }
    }
}
