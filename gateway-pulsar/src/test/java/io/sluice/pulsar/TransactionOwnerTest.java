package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.client.impl.transaction.TransactionImpl;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.api.proto.Subscription;
import org.apache.pulsar.common.api.proto.TxnAction;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A transaction belongs to the user that began it: to others, but for administrators, it is not there. */
@Timeout(90)
class TransactionOwnerTest {
    private static final String TOPIC = "persistent://public/default/mine";

    private RuledGateway ruled;
    private PulsarClient client;

    @BeforeEach
    void start() throws Exception {
        ruled = new RuledGateway("alice", "bob", "root");
        for (String user : new String[] {"alice", "bob"}) {
            ruled.allow(user, "mine");
            ruled.allow(user, "_ns.pulsar.system.transaction__coordinator__assign");
        }
        client = PulsarClients.builder("pulsar://127.0.0.1:" + ruled.gateway.port())
                .authentication(RuledGateway.basic("alice"))
                .enableTransaction(true)
                .build();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        ruled.close();
    }

    private Transaction begin() throws Exception {
        return client.newTransaction()
                .withTransactionTimeout(1, TimeUnit.MINUTES)
                .build()
                .get(60, TimeUnit.SECONDS);
    }

    private static @Nullable ServerError refusalOfEnd(RawClient by, TxnID id) throws Exception {
        by.write(Commands.serializeWithSize(
                Commands.newEndTxn(1, id.getLeastSigBits(), id.getMostSigBits(), TxnAction.COMMIT)));
        var answer = by.expect(BaseCommand.Type.END_TXN_RESPONSE).getEndTxnResponse();
        return answer.hasError() ? answer.getError() : null;
    }

    @Test
    void anotherUserNeitherEndsATransactionNorAddsToIt() throws Exception {
        Transaction mine = begin();
        TxnID id = ((TransactionImpl) mine).getTxnID();
        try (RawClient bob = ruled.connect("bob");
                Producer<byte[]> producer = client.newProducer().topic(TOPIC).create()) {
            producer.newMessage(mine).value(new byte[] {1}).send();
            assertThat(refusalOfEnd(bob, id)).isEqualTo(ServerError.TransactionNotFound);
            bob.write(Commands.newAddPartitionToTxn(2, id.getLeastSigBits(), id.getMostSigBits(), List.of(TOPIC)));
            assertThat(bob.expect(BaseCommand.Type.ADD_PARTITION_TO_TXN_RESPONSE)
                            .getAddPartitionToTxnResponse()
                            .getError())
                    .isEqualTo(ServerError.TransactionNotFound);
            Subscription subscription = new Subscription().setTopic(TOPIC).setSubscription("s");
            bob.write(Commands.newAddSubscriptionToTxn(
                    3, id.getLeastSigBits(), id.getMostSigBits(), List.of(subscription)));
            assertThat(bob.expect(BaseCommand.Type.ADD_SUBSCRIPTION_TO_TXN_RESPONSE)
                            .getAddSubscriptionToTxnResponse()
                            .getError())
                    .isEqualTo(ServerError.TransactionNotFound);
        }
        mine.commit().get(60, TimeUnit.SECONDS);
    }

    @Test
    void anAdministratorEndsIt() throws Exception {
        Transaction mine = begin();
        try (RawClient root = ruled.connect("root")) {
            TxnID id = ((TransactionImpl) mine).getTxnID();
            root.write(Commands.serializeWithSize(
                    Commands.newEndTxn(1, id.getLeastSigBits(), id.getMostSigBits(), TxnAction.ABORT)));
            assertThat(root.expect(BaseCommand.Type.END_TXN_RESPONSE)
                            .getEndTxnResponse()
                            .hasError())
                    .isFalse();
        }
        assertThatThrownBy(() -> mine.commit().get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
    }
}
