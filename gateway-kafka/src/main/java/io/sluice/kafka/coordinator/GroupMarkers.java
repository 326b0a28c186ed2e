package io.sluice.kafka.coordinator;

import io.sluice.store.segment.StoreException;
import io.sluice.transactions.GroupTransactions;
import io.sluice.transactions.Marker;
import io.sluice.transactions.Markers.Fate;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.TransactionResult;
import org.apache.kafka.server.common.TransactionVersion;

/** Ends transactions in the partitions of group offsets: Kafka's coordinator writes the marker, and then counts the offsets or not. */
public record GroupMarkers(GroupCoordinators groups) implements GroupTransactions {
    @Override
    public String topic() {
        return GroupCoordinators.OFFSETS_TOPIC;
    }

    @Override
    public void end(int partition, Marker marker, Consumer<Fate> done) {
        if (!groups.hasPartition(partition)) {
            done.accept(Fate.NOT_NEEDED);
            return;
        }
        groups.service()
                .completeTransaction(
                        new TopicPartition(topic(), partition),
                        marker.producer().id(),
                        marker.producer().epoch(),
                        marker.coordinatorEpoch(),
                        marker.commit() ? TransactionResult.COMMIT : TransactionResult.ABORT,
                        TransactionVersion.TV_0.featureLevel())
                .whenComplete((written, failure) -> done.accept(failure == null ? Fate.WRITTEN : fateOf(failure)));
    }

    private static Fate fateOf(Throwable failure) {
        return switch (Errors.forException(StoreException.causeOf(failure))) {
            case INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED -> Fate.NOT_NEEDED;
            default -> Fate.UNKNOWN;
        };
    }
}
