package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.access.Operation;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicLists;
import io.sluice.transactions.Participant;
import io.sluice.transactions.SingleTransaction;
import io.sluice.transactions.TransactionDescription;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Objects;
import org.apache.pulsar.common.policies.data.TransactionInBufferStats;
import org.apache.pulsar.common.policies.data.TransactionInPendingAckStats;
import org.apache.pulsar.common.policies.data.TransactionMetadata;
import org.apache.pulsar.common.stats.PositionInPendingAckStats;
import org.jspecify.annotations.Nullable;

/** State of one transaction, in Pulsar's classes. */
final class TransactionFacts {
    private final AdminTopics topics;

    TransactionFacts(AdminTopics topics) {
        this.topics = topics;
    }

    static boolean isOpen(TransactionDescription transaction) {
        return transaction.state().equals("Ongoing");
    }

    /** As Pulsar's {@code TxnID} is written. */
    static String name(TransactionDescription transaction) {
        SingleTransaction id = SingleTransaction.ofId(transaction.transactionalId());
        return id == null ? transaction.transactionalId() : "(" + id.coordinator() + "," + id.number() + ")";
    }

    private static String status(String state) {
        return switch (state) {
            case "PrepareCommit" -> "COMMITTING";
            case "CompleteCommit" -> "COMMITTED";
            case "PrepareAbort" -> "ABORTING";
            case "CompleteAbort" -> "ABORTED";
            default -> "OPEN";
        };
    }

    TransactionMetadata metadata(AdminRequest r, TransactionDescription transaction) throws AdminException {
        TransactionMetadata facts = new TransactionMetadata();
        facts.txnId = name(transaction);
        facts.status = status(transaction.state());
        facts.openTimestamp = transaction.startedAt();
        facts.timeoutAt = transaction.timeoutMillis();
        facts.owner = transaction.owner();
        facts.producedPartitions = new HashMap<>();
        facts.ackedPartitions = new HashMap<>();
        for (Participant participant : transaction.participants()) {
            add(r, transaction, participant, facts);
        }
        return facts;
    }

    /** Adds the partition's view; nothing if no node serves it or the client may not see it. */
    private void add(
            AdminRequest r, TransactionDescription transaction, Participant participant, TransactionMetadata facts)
            throws AdminException {
        Place place = place(r, participant);
        if (place == null) {
            return;
        }
        if (place.other != null) {
            addFrom(place.other, transaction, participant, facts, place.name);
            return;
        }
        long id = transaction.producer().id();
        PartitionLog log = Objects.requireNonNull(place.log);
        String name = givenName(transaction, participant, place.name);
        String subscription = participant.subscription();
        if (subscription == null) {
            facts.producedPartitions.put(name, await(log.container().ask(() -> inBuffer(log, id))));
            return;
        }
        TransactionInPendingAckStats pending = await(log.container().ask(() -> {
            Cursor cursor = log.subscriptions().find(subscription);
            return cursor == null ? new TransactionInPendingAckStats() : inPendingAck(log, cursor, id);
        }));
        facts.ackedPartitions.computeIfAbsent(name, t -> new HashMap<>()).put(subscription, pending);
    }

    /** Adds the view of a partition that another node serves. */
    private void addFrom(
            OtherNode other,
            TransactionDescription transaction,
            Participant participant,
            TransactionMetadata facts,
            String fullName)
            throws AdminException {
        SingleTransaction id = SingleTransaction.ofId(transaction.transactionalId());
        if (id == null) {
            return;
        }
        String name = givenName(transaction, participant, fullName);
        String of = id.coordinator() + "/" + id.number();
        String subscription = participant.subscription();
        if (subscription == null) {
            String stats = other.getOfTransaction("transactionInBufferStats", of);
            facts.producedPartitions.put(name, new JsonObject(stats).mapTo(TransactionInBufferStats.class));
            return;
        }
        String stats =
                other.getOfTransaction("transactionInPendingAckStats", OtherNode.encoded(subscription) + "/" + of);
        facts.ackedPartitions
                .computeIfAbsent(name, t -> new HashMap<>())
                .put(subscription, new JsonObject(stats).mapTo(TransactionInPendingAckStats.class));
    }

    private String givenName(TransactionDescription transaction, Participant participant, String fullName) {
        SingleTransaction id = SingleTransaction.ofId(transaction.transactionalId());
        String given = id == null ? null : topics.services().givenNames().of(id, participant);
        return given == null ? fullName : given;
    }

    /**
     * A partition here or at another node.
     *
     * @param log null if it is at another node
     */
    private record Place(
            String name,
            @Nullable PartitionLog log,
            @Nullable OtherNode other) {}

    private @Nullable Place place(AdminRequest r, Participant participant) throws AdminException {
        TopicAccess access = topics.services().topics();
        try {
            TopicName name = participant.topicName();
            Found found = access.find(r.principal(), Operation.DESCRIBE, new PulsarNames.Parsed(name, -1));
            if (!(found instanceof Found.There there)) {
                return null;
            }
            int partition = there.topic().partitioned() ? participant.partition() : -1;
            if (partition >= there.topic().partitions().size()) {
                return null;
            }
            PartitionLog log = access.log(there.topic(), partition);
            OtherNode other = log == null ? topics.other(r, there.topic(), partition) : null;
            return log == null && other == null
                    ? null
                    : new Place(TopicLists.nameOf(there.topic(), partition), log, other);
        } catch (TopicException e) {
            return null;
        }
    }

    /** On the log's loop. */
    static TransactionInBufferStats inBuffer(PartitionLog log, long id) {
        TransactionInBufferStats stats = new TransactionInBufferStats();
        long from = log.transactions().openFrom(id);
        if (from >= 0) {
            stats.startPosition = position(log, from);
        }
        stats.aborted = log.transactions().abortedIn(log.startOffset(), log.readableEnd(Isolation.COMMITTED)).stream()
                .mapToLong(PartitionTransactions.Aborted::producerId)
                .anyMatch(each -> each == id);
        return stats;
    }

    /** On the log's loop. */
    static TransactionInPendingAckStats inPendingAck(PartitionLog log, Cursor cursor, long id) {
        TransactionInPendingAckStats stats = new TransactionInPendingAckStats();
        long upTo = cursor.pendingUpTo(id);
        if (upTo >= 0) {
            stats.cumulativeAckPosition = position(log, upTo);
        }
        return stats;
    }

    /** On the log's loop. */
    static PositionInPendingAckStats.State stateOf(PartitionLog log, Cursor cursor, long ledger, long offset) {
        if (offset < 0 || offset >= log.durableEnd() || log.ledgerAt(offset) != ledger) {
            return PositionInPendingAckStats.State.InvalidPosition;
        }
        if (cursor.isAcked(offset)) {
            return PositionInPendingAckStats.State.MarkDelete;
        }
        return cursor.isTaken(offset)
                ? PositionInPendingAckStats.State.PendingAck
                : PositionInPendingAckStats.State.NotInPendingAck;
    }

    static String position(PartitionLog log, long offset) {
        return log.ledgerAt(offset) + ":" + offset;
    }
}
