package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.transactions.TransactionAuthority;
import org.apache.pulsar.common.policies.data.SnapshotSystemTopicInternalStats;
import org.apache.pulsar.common.policies.data.TransactionBufferInternalStats;
import org.apache.pulsar.common.policies.data.TransactionCoordinatorInternalStats;
import org.apache.pulsar.common.policies.data.TransactionLogStats;
import org.apache.pulsar.common.policies.data.TransactionPendingAckInternalStats;

/**
 * Where the state of transactions is kept, as Pulsar shows its managed ledgers. A coordinator's is a partition of {@value
 * TransactionAuthority#STATE_TOPIC}. What partitions and subscriptions know is written to the partition itself, so that is shown, and in place of
 * the name of a managed ledger that of the partition. Metadata of ledgers is not shown.
 */
final class TransactionLogRoutes {
    /** The one kind of snapshot here: everything that is known, in the partition's own. */
    private static final String SNAPSHOT = "Single";

    private final AdminTopics topics;
    private final InternalStats internals;

    TransactionLogRoutes(AdminTopics topics) {
        this.topics = topics;
        this.internals = new InternalStats(topics);
    }

    void add(Routes routes) {
        String root = TransactionRoutes.ROOT;
        String topic = TransactionRoutes.TOPIC;
        routes.cluster(DESCRIBE).get(root + "/coordinatorInternalStats/:coordinator", this::coordinator);
        routes.topic(DESCRIBE).get(root + "/transactionBufferInternalStats" + topic, this::buffer);
        routes.topic(READ).get(root + "/pendingAckInternalStats" + topic + "/:subscription", this::pendingAck);
    }

    private Object coordinator(AdminRequest r) throws AdminException {
        int coordinator = Integer.parseInt(r.get("coordinator"));
        var name = new Parsed(TopicAccess.COORDINATORS, coordinator);
        if (coordinator < 0
                || !(topics.services().topics().find(r.principal(), DESCRIBE, name) instanceof Found.Partition found)) {
            throw new AdminException(404, "Transaction coordinator not found");
        }
        TransactionCoordinatorInternalStats stats = new TransactionCoordinatorInternalStats();
        stats.transactionLogStats = log(topics.only(found.topic(), coordinator));
        return stats;
    }

    private TransactionLogStats log(AdminTopics.Part part) throws AdminException {
        TransactionLogStats stats = new TransactionLogStats();
        stats.managedLedgerName = part.name();
        stats.managedLedgerInternalStats = internals.ledgerOf(part);
        return stats;
    }

    private Object buffer(TopicRequest r) throws AdminException {
        AdminTopics.Part part = topics.part(r);
        SnapshotSystemTopicInternalStats snapshots = new SnapshotSystemTopicInternalStats();
        snapshots.managedLedgerName = part.name();
        snapshots.managedLedgerInternalStats = internals.ledgerOf(part);
        TransactionBufferInternalStats stats = new TransactionBufferInternalStats();
        stats.snapshotType = SNAPSHOT;
        stats.singleSnapshotSystemTopicInternalStats = snapshots;
        return stats;
    }

    private Object pendingAck(TopicRequest r) throws AdminException {
        AdminTopics.Part part = topics.part(r);
        String name = r.get("subscription");
        boolean there = await(
                part.log().container().ask(() -> part.log().subscriptions().find(name) != null));
        if (!there) {
            throw new AdminException(404, "Subscription " + name + " not found");
        }
        TransactionPendingAckInternalStats stats = new TransactionPendingAckInternalStats();
        stats.pendingAckLogStats = log(part);
        return stats;
    }
}
