package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.access.Operation;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.transactions.SingleTransaction;
import io.sluice.transactions.SingleTransactions;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionDescription;
import io.sluice.transactions.TransactionException;
import io.sluice.transactions.TransactionUser;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.apache.pulsar.common.policies.data.TransactionBufferStats;
import org.apache.pulsar.common.policies.data.TransactionCoordinatorInfo;
import org.apache.pulsar.common.policies.data.TransactionCoordinatorStats;
import org.apache.pulsar.common.policies.data.TransactionPendingAckStats;
import org.apache.pulsar.common.stats.PositionInPendingAckStats;
import org.jspecify.annotations.Nullable;

/**
 * Transactions: their coordinators, one of them, what partitions and subscriptions know of it, and aborting it. There are no low-water
 * marks and no snapshots of their own here, so what Pulsar says of those is empty. Where the state is: {@link TransactionLogRoutes}.
 */
final class TransactionRoutes {
    static final String ROOT = "/admin/v3/transactions";
    static final String TOPIC = "/:tenant/:namespace/:topic";
    private static final String ID = "/:most/:least";
    private static final String READY = "Ready";

    private final AdminTopics topics;
    private final TransactionFacts facts;

    TransactionRoutes(AdminTopics topics) {
        this.topics = topics;
        this.facts = new TransactionFacts(topics);
    }

    void add(Routes routes) {
        var cluster = routes.cluster(DESCRIBE);
        cluster.get(ROOT + "/coordinators", this::coordinators);
        cluster.get(ROOT + "/coordinatorStats", this::coordinatorStats);
        cluster.get(ROOT + "/slowTransactions/:timeout", this::slow);
        cluster.get(ROOT + "/transactionMetadata" + ID, r -> facts.metadata(r, described(r)));
        routes.cluster(Operation.ALTER).post(ROOT + "/abortTransaction" + ID, this::abort);
        var topic = routes.topic(DESCRIBE);
        topic.get(ROOT + "/transactionBufferStats" + TOPIC, this::bufferStats);
        topic.get(ROOT + "/transactionInBufferStats" + TOPIC + ID, this::inBuffer);
        var subscription = routes.topic(READ);
        subscription.get(ROOT + "/pendingAckStats" + TOPIC + "/:subscription", this::pendingAckStats);
        subscription.get(ROOT + "/transactionInPendingAckStats" + TOPIC + "/:subscription" + ID, this::inPendingAck);
        subscription.get(ROOT + "/positionStatsInPendingAck" + TOPIC + "/:subscription/:ledger/:entry", this::position);
    }

    private SingleTransactions transactions() {
        return topics.services().transactions();
    }

    private static SingleTransaction transaction(AdminRequest r) {
        return new SingleTransaction(Long.parseLong(r.get("most")), Long.parseLong(r.get("least")));
    }

    private TransactionDescription described(AdminRequest r) throws AdminException {
        topics.requireCoordinator(r, transaction(r).coordinator());
        try {
            return transactions().describe(transaction(r));
        } catch (TransactionException e) {
            throw refused(e);
        }
    }

    private static AdminException refused(TransactionException why) {
        return switch (why.error()) {
            case NOT_COORDINATOR -> new AdminException(404, "Transaction coordinator not found");
            case LOADING, UNAVAILABLE -> new AdminException(503, "the transaction coordinator is not available now");
            case UNKNOWN_ID, UNKNOWN_PRODUCER, NOT_OWNER, FENCED -> new AdminException(404, "Transaction not found");
            default -> new AdminException(409, "the transaction is not open: " + why.error());
        };
    }

    // ---- coordinators

    private Object coordinators(AdminRequest r) throws AdminException {
        GatewayServices services = topics.services();
        List<TransactionCoordinatorInfo> all = new ArrayList<>();
        for (int c = 0; c < transactions().coordinators(); c++) {
            String other = topics.otherCoordinator(r, c);
            all.add(new TransactionCoordinatorInfo(
                    c, other == null ? services.config().httpUrl() : other));
        }
        return all;
    }

    private Object coordinatorStats(AdminRequest r) throws AdminException {
        String one = r.find("coordinatorId");
        if (one != null) {
            topics.requireCoordinator(r, Integer.parseInt(one));
            return coordinatorStats(Integer.parseInt(one));
        }
        Map<Integer, Object> all = new LinkedHashMap<>();
        for (int c = 0; c < transactions().coordinators(); c++) {
            String other = topics.otherCoordinator(r, c);
            all.put(
                    c,
                    other == null
                            ? coordinatorStats(c)
                            : of(OtherNode.getFrom(
                                    topics.nodes(), r, other, ROOT + "/coordinatorStats?coordinatorId=" + c)));
        }
        return all;
    }

    /** Fields of another node's answer. */
    private static Map<String, Object> of(String answer) {
        return new JsonObject(answer).getMap();
    }

    private TransactionCoordinatorStats coordinatorStats(int coordinator) throws AdminException {
        if (coordinator < 0 || coordinator >= transactions().coordinators()) {
            throw new AdminException(404, "Transaction coordinator not found");
        }
        TransactionCoordinatorStats stats = new TransactionCoordinatorStats();
        stats.state = transactions().check(coordinator) == null ? READY : "Initializing";
        stats.ongoingTxnSize = transactions().open(coordinator);
        return stats;
    }

    private Object slow(AdminRequest r) throws AdminException {
        long before = System.currentTimeMillis() - Long.parseLong(r.get("timeout"));
        String one = r.find("coordinatorId");
        int first = one == null ? 0 : Integer.parseInt(one);
        int end = one == null ? transactions().coordinators() : first + 1;
        if (one != null) {
            topics.requireCoordinator(r, first);
        }
        Map<String, Object> slow = new LinkedHashMap<>();
        for (int c = first; c < end; c++) {
            String other = topics.otherCoordinator(r, c);
            if (other != null) {
                slow.putAll(of(OtherNode.getFrom(
                        topics.nodes(),
                        r,
                        other,
                        ROOT + "/slowTransactions/" + r.get("timeout") + "?coordinatorId=" + c)));
            }
            for (TransactionDescription each : transactions().all(c)) {
                if (TransactionFacts.isOpen(each) && each.startedAt() <= before) {
                    slow.put(TransactionFacts.name(each), facts.metadata(r, each));
                }
            }
        }
        return slow;
    }

    private @Nullable Object abort(AdminRequest r) throws AdminException {
        topics.requireCoordinator(r, transaction(r).coordinator());
        try {
            transactions().end(transaction(r), TransactionUser.ANY, false).join();
            return null;
        } catch (CompletionException e) {
            throw refused(new TransactionException(TransactionAuthority.errorOf(e)));
        }
    }

    // ---- partitions

    private Object bufferStats(TopicRequest r) throws AdminException {
        AdminTopics.Part part = topics.part(r);
        PartitionLog log = part.log();
        return await(log.container().ask(() -> {
            TransactionBufferStats stats = new TransactionBufferStats();
            stats.state = READY;
            stats.maxReadPosition = TransactionFacts.position(log, log.readableEnd(Isolation.COMMITTED) - 1);
            stats.ongoingTxnSize = log.transactions().openTransactions();
            stats.totalAbortedTransactions = log.transactions().abortedTransactions();
            if (r.flag("lowWaterMarks")) {
                stats.lowWaterMarks = Map.of();
            }
            return stats;
        }));
    }

    private Object inBuffer(TopicRequest r) throws AdminException {
        long id = transaction(r.request()).producerId();
        PartitionLog log = topics.part(r).log();
        return await(log.container().ask(() -> TransactionFacts.inBuffer(log, id)));
    }

    // ---- subscriptions

    private interface Look<T> {
        T at(PartitionLog log, Cursor cursor);
    }

    private <T> T look(TopicRequest r, Look<T> look) throws AdminException {
        PartitionLog log = topics.part(r).log();
        String name = r.get("subscription");
        return await(log.container().ask(() -> {
            Cursor cursor = log.subscriptions().find(name);
            if (cursor == null) {
                throw new AdminException(404, "Subscription " + name + " not found");
            }
            return look.at(log, cursor);
        }));
    }

    private Object pendingAckStats(TopicRequest r) throws AdminException {
        return look(r, (log, cursor) -> {
            TransactionPendingAckStats stats = new TransactionPendingAckStats();
            stats.ongoingTxnSize = cursor.pendingTransactions();
            stats.state = stats.ongoingTxnSize == 0 ? "None" : READY;
            if (r.flag("lowWaterMarks")) {
                stats.lowWaterMarks = Map.of();
            }
            return stats;
        });
    }

    private Object inPendingAck(TopicRequest r) throws AdminException {
        long id = transaction(r.request()).producerId();
        return look(r, (log, cursor) -> TransactionFacts.inPendingAck(log, cursor, id));
    }

    private Object position(TopicRequest r) throws AdminException {
        long ledger = Long.parseLong(r.get("ledger"));
        long entry = Long.parseLong(r.get("entry"));
        String index = r.find("batchIndex");
        long offset = entry + (index == null ? 0 : Math.max(0, Integer.parseInt(index)));
        return look(
                r,
                (log, cursor) -> new PositionInPendingAckStats(TransactionFacts.stateOf(log, cursor, ledger, offset)));
    }
}
