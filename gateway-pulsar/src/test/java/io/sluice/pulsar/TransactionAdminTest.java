package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.Transactions;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.policies.data.SnapshotSystemTopicInternalStats;
import org.apache.pulsar.common.policies.data.TransactionBufferInternalStats;
import org.apache.pulsar.common.policies.data.TransactionBufferStats;
import org.apache.pulsar.common.policies.data.TransactionLogStats;
import org.apache.pulsar.common.policies.data.TransactionMetadata;
import org.apache.pulsar.common.stats.PositionInPendingAckStats.State;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Pulsar's admin client says of transactions. */
class TransactionAdminTest extends TransactionalClientTest {
    private TestAdmin http;
    private Transactions admin;

    @BeforeEach
    void open() throws Exception {
        http = new TestAdmin(gateway);
        admin = http.client().transactions();
    }

    @AfterEach
    void closeAdmin() throws Exception {
        http.close();
    }

    private static String at(MessageId id) {
        MessageIdImpl place = (MessageIdImpl) id;
        return place.getLedgerId() + ":" + place.getEntryId();
    }

    @Test
    void theCoordinatorsAndWhatIsOpen() throws Exception {
        Transaction open = begin();
        int coordinator = (int) open.getTxnID().getMostSigBits();
        assertThat(admin.listTransactionCoordinators()).hasSize(16);
        assertThat(admin.getCoordinatorStats()).hasSize(16);
        assertThat(admin.getCoordinatorStatsById(coordinator).getOngoingTxnSize())
                .isEqualTo(1);
        assertThat(admin.getCoordinatorStatsById(coordinator).getState()).isEqualTo("Ready");
        assertThatThrownBy(() -> admin.getCoordinatorStatsById(16)).isInstanceOf(NotFoundException.class);
        assertThat(admin.getSlowTransactions(1, TimeUnit.HOURS)).isEmpty();
        Map<String, TransactionMetadata> slow = admin.getSlowTransactions(0, TimeUnit.MILLISECONDS);
        assertThat(slow).containsOnlyKeys(open.getTxnID().toString());
        assertThat(admin.getSlowTransactionsByCoordinatorId(coordinator, 0, TimeUnit.MILLISECONDS))
                .hasSize(1);
    }

    @Test
    void aTransactionAndWhereItIs() throws Exception {
        gateway.broker().createTopic(TopicName.ofDefault("p"), 2, true);
        try (Producer<byte[]> producer = single("t");
                Producer<byte[]> first = single("p-partition-1");
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            MessageId read = send(producer, 0);
            Transaction open = begin();
            MessageId sent = send(producer, open, 1);
            MessageId elsewhere = send(first, open, 2);
            Message<byte[]> message = next(consumer);
            consumer.acknowledgeCumulativeAsync(message.getMessageId(), open).get();

            String topic = "persistent://public/default/t";
            TxnID id = open.getTxnID();
            TransactionMetadata facts = admin.getTransactionMetadata(id);
            assertThat(facts.txnId).isEqualTo(id.toString());
            assertThat(facts.status).isEqualTo("OPEN");
            assertThat(facts.timeoutAt).isEqualTo(60_000);
            assertThat(facts.producedPartitions)
                    .containsOnlyKeys("t", "p-partition-1")
                    .hasEntrySatisfying(
                            "p-partition-1",
                            stats -> assertThat(stats.startPosition).isEqualTo(at(elsewhere)));
            assertThat(facts.ackedPartitions)
                    .hasEntrySatisfying(
                            "t",
                            of -> assertThat(of)
                                    .hasEntrySatisfying(
                                            "s",
                                            stats -> assertThat(stats.cumulativeAckPosition)
                                                    .isEqualTo(at(read))));

            assertThat(admin.getTransactionInBufferStats(id, topic).startPosition)
                    .isEqualTo(at(sent));
            assertThat(admin.getTransactionInPendingAckStats(id, topic, "s").cumulativeAckPosition)
                    .isEqualTo(at(read));
            TransactionBufferStats buffer = admin.getTransactionBufferStats(topic, true, false);
            assertThat(buffer.state).isEqualTo("Ready");
            assertThat(buffer.ongoingTxnSize).isEqualTo(1);
            assertThat(buffer.maxReadPosition).isEqualTo(at(read));
            assertThat(admin.getPendingAckStats(topic, "s", false).ongoingTxnSize)
                    .isEqualTo(1);
            assertThat(state(read)).isEqualTo(State.PendingAck);
            assertThat(state(sent)).isEqualTo(State.NotInPendingAck);
            assertThatThrownBy(() -> admin.getPendingAckStats(topic, "none", false))
                    .isInstanceOf(NotFoundException.class);

            open.commit().get();
            assertThat(admin.getTransactionMetadata(id).status).isEqualTo("COMMITTED");
            assertThat(admin.getPendingAckStats(topic, "s", false).ongoingTxnSize)
                    .isZero();
            assertThat(state(read)).isEqualTo(State.MarkDelete);
        }
    }

    @Test
    void partitionsHaveTheNameThatTheClientGave() throws Exception {
        gateway.broker().createTopic(TopicName.ofDefault("p"), 2, true);
        try (Consumer<byte[]> consumer = subscribe("t").subscribe();
                Consumer<byte[]> other = subscribe("public/default/p").subscribe()) {
            assertThat(consumer.isConnected() && other.isConnected()).isTrue();
            TxnID id = coordinators().newTransaction(1, TimeUnit.MINUTES);
            String full = "persistent://public/default/p-partition-0";
            coordinators().addPublishPartitionToTxn(id, List.of("t", full));
            coordinators().addPublishPartitionToTxn(id, List.of("p-partition-1"));
            coordinators().addSubscriptionToTxn(id, "t", "s");
            coordinators().addSubscriptionToTxn(id, full, "s");
            TransactionMetadata facts = admin.getTransactionMetadata(id);
            assertThat(facts.producedPartitions).containsOnlyKeys("t", full, "p-partition-1");
            assertThat(facts.ackedPartitions).containsOnlyKeys("t", full);
            assertThat(facts.ackedPartitions.get("t")).containsOnlyKeys("s");

            TxnID another = coordinators().newTransaction(1, TimeUnit.MINUTES);
            coordinators().addPublishPartitionToTxn(another, List.of("persistent://public/default/t"));
            assertThat(admin.getTransactionMetadata(another).producedPartitions)
                    .containsOnlyKeys("persistent://public/default/t");
        }
    }

    private State state(MessageId id) throws PulsarAdminException {
        MessageIdImpl place = (MessageIdImpl) id;
        return admin.getPositionStatsInPendingAck(
                        "persistent://public/default/t", "s", place.getLedgerId(), place.getEntryId(), null)
                .state;
    }

    @Test
    void whereTheStateIsKept() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            send(producer, 0);
            Transaction open = begin();
            send(producer, open, 1);
            consumer.acknowledgeAsync(next(consumer).getMessageId(), open).get();
            String topic = "persistent://public/default/t";
            int coordinator = (int) open.getTxnID().getMostSigBits();

            TransactionLogStats log = admin.getCoordinatorInternalStats(coordinator, true).transactionLogStats;
            assertThat(log.managedLedgerName)
                    .isEqualTo("persistent://public/default/__transaction_state-partition-" + coordinator);
            assertThat(log.managedLedgerInternalStats.numberOfEntries).isPositive();
            TransactionBufferInternalStats buffer = admin.getTransactionBufferInternalStats(topic, true);
            assertThat(buffer.snapshotType).isEqualTo("Single");
            SnapshotSystemTopicInternalStats snapshots = buffer.singleSnapshotSystemTopicInternalStats;
            assertThat(snapshots.managedLedgerName).isEqualTo(topic);
            assertThat(snapshots.managedLedgerInternalStats.numberOfEntries).isEqualTo(2);
            log = admin.getPendingAckInternalStats(topic, "s", true).pendingAckLogStats;
            assertThat(log.managedLedgerName).isEqualTo(topic);
            assertThat(log.managedLedgerInternalStats.cursors).containsOnlyKeys("s");

            assertThatThrownBy(() -> admin.getCoordinatorInternalStats(16, false))
                    .isInstanceOf(NotFoundException.class);
            assertThatThrownBy(() -> admin.getPendingAckInternalStats(topic, "none", false))
                    .isInstanceOf(NotFoundException.class);
            assertThatThrownBy(() -> admin.getTransactionBufferInternalStats("persistent://public/default/none", false))
                    .isInstanceOf(NotFoundException.class);
        }
    }

    @Test
    void anAdministratorAborts() throws Exception {
        try (Producer<byte[]> producer = single("t")) {
            Transaction open = begin();
            send(producer, open, 1);
            TxnID id = open.getTxnID();
            admin.abortTransaction(id);
            assertThat(admin.getTransactionMetadata(id).status).isEqualTo("ABORTED");
            String topic = "persistent://public/default/t";
            assertThat(admin.getTransactionInBufferStats(id, topic).aborted).isTrue();
            assertThat(admin.getTransactionBufferStats(topic, false, false).totalAbortedTransactions)
                    .isEqualTo(1);
            assertThat(admin.getTransactionBufferStats(topic, false, false).ongoingTxnSize)
                    .isZero();
            TxnID unknown = new TxnID(id.getMostSigBits(), 1L << 40);
            assertThatThrownBy(() -> admin.abortTransaction(unknown)).isInstanceOf(NotFoundException.class);
            assertThatThrownBy(() -> admin.getTransactionMetadata(unknown)).isInstanceOf(NotFoundException.class);
        }
    }
}
