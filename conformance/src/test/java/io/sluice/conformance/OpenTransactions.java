package io.sluice.conformance;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.core.ConditionTimeoutException;

/** Which transactions have not ended: by their coordinator, and by the partitions whose last stable offset stands behind their end. */
final class OpenTransactions {
    private static final Set<TransactionState> ENDED =
            Set.of(TransactionState.EMPTY, TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT);

    private final String bootstrap;

    OpenTransactions(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    void awaitNone(Duration atMost) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            Map<String, String> open = new TreeMap<>();
            try {
                await().atMost(atMost).pollInterval(Duration.ofMillis(100)).until(() -> {
                    open.clear();
                    open.putAll(find(admin));
                    return open.isEmpty();
                });
            } catch (ConditionTimeoutException e) {
                throw new AssertionError("stay open: " + open, e);
            }
        }
    }

    private static Map<String, String> find(Admin admin) throws Exception {
        Map<String, String> open = new TreeMap<>();
        for (var listing :
                admin.listTransactions(new ListTransactionsOptions()).all().get()) {
            if (!ENDED.contains(listing.state())) {
                open.put(listing.transactionalId(), listing.state().toString());
            }
        }
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        for (TopicDescription topic : admin.describeTopics(
                        admin.listTopics().names().get())
                .allTopicNames()
                .get()
                .values()) {
            topic.partitions()
                    .forEach(partition ->
                            latest.put(new TopicPartition(topic.name(), partition.partition()), OffsetSpec.latest()));
        }
        var stable = admin.listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                .all()
                .get();
        var ends = admin.listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
                .all()
                .get();
        ends.forEach((partition, end) -> {
            var lastStable = stable.get(partition);
            if (lastStable == null || lastStable.offset() != end.offset()) {
                open.put(partition.toString(), lastStable + " of " + end);
            }
        });
        return open;
    }
}
