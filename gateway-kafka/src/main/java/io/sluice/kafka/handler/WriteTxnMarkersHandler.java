package io.sluice.kafka.handler;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.access.Operation;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.Backend;
import io.sluice.kafka.api.ErrorMapping;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.GroupTransactions;
import io.sluice.transactions.Marker;
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
    private final Backend backend;
    private final GroupTransactions groups;

    public WriteTxnMarkersHandler(Backend backend, GroupTransactions groups) {
        this.backend = backend;
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.WRITE_TXN_MARKERS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        if (!backend.access().allowsOnCluster(context.principal(), Operation.ALTER)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
            return;
        }
        Map<Long, Map<TopicPartition, Errors>> answers = new HashMap<>();
        List<CompletableFuture<?>> ofGroups = new ArrayList<>();
        CompletableFuture<Void> written = new CompletableFuture<>();
        PartitionWork work = new PartitionWork(backend, () -> written.complete(null));
        for (WritableTxnMarker each : ((WriteTxnMarkersRequestData) request.data()).markers()) {
            Marker marker = new Marker(
                    new ProducerIdentity(each.producerId(), each.producerEpoch()),
                    each.coordinatorEpoch(),
                    each.transactionResult());
            Map<TopicPartition, Errors> answer = answers.computeIfAbsent(each.producerId(), id -> new HashMap<>());
            for (WritableTxnMarkerTopic topic : each.topics()) {
                TopicLookup lookup = backend.access().find(context.principal(), Operation.ALTER, topic.name());
                for (int partition : topic.partitionIndexes()) {
                    Writing writing = new Writing(new TopicPartition(topic.name(), partition), marker, answer);
                    if (each.producerId() < 0 || each.producerEpoch() < 0) {
                        writing.put(Errors.INVALID_REQUEST);
                    } else if (topic.name().equals(groups.topic())) {
                        ofGroups.add(endInGroups(writing));
                    } else {
                        work.add(lookup, partition, writing);
                    }
                }
            }
        }
        ofGroups.add(written);
        work.start();
        CompletableFuture.allOf(ofGroups.toArray(CompletableFuture[]::new))
                .whenComplete((done, failure) -> context.complete(new WriteTxnMarkersResponse(answers).data()));
    }

    private CompletableFuture<?> endInGroups(Writing writing) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        groups.end(writing.partition.partition(), writing.marker, fate -> {
            writing.put(fate == Markers.Fate.WRITTEN ? Errors.NONE : Errors.NOT_LEADER_OR_FOLLOWER);
            done.complete(null);
        });
        return done;
    }

    private record Writing(TopicPartition partition, Marker marker, Map<TopicPartition, Errors> answers)
            implements PartitionWork.Question {
        @Override
        public void ask(PartitionLog log, Runnable done) {
            ByteBuf entry = EndMarker.entry(
                    PooledByteBufAllocator.DEFAULT,
                    marker.producer().id(),
                    marker.producer().epoch(),
                    marker.coordinatorEpoch(),
                    marker.commit(),
                    log.container().now());
            log.append(entry, new AppendReply() {
                @Override
                public void appended(long baseOffset, long lastOffset) {
                    answer(Errors.NONE);
                }

                @Override
                public void duplicate(long baseOffset, long lastOffset) {
                    answer(Errors.NONE);
                }

                @Override
                public void rejected(AppendRejection why) {
                    answer(ErrorMapping.of(why));
                }

                @Override
                public void failed(StoreFailure why) {
                    answer(ErrorMapping.toProducer(why));
                }

                private void answer(Errors error) {
                    put(error);
                    done.run();
                }
            });
        }

        @Override
        public void fail(Errors error) {
            put(error);
        }

        /** Partitions of different containers are answered by different loops. */
        private void put(Errors error) {
            synchronized (answers) {
                answers.put(partition, error);
            }
        }
    }
}
