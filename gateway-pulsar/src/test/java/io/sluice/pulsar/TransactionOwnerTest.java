package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.access.AuditLog;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.client.impl.transaction.TransactionImpl;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.api.proto.Subscription;
import org.apache.pulsar.common.api.proto.TxnAction;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** A transaction belongs to the user that began it: to others, but for administrators, it is not there. */
@Timeout(90)
class TransactionOwnerTest {
    private static final String TOPIC = "persistent://public/default/mine";
    private static final byte RAW = 9;

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

    /** As a client does that leaves out what it would be refused: it adds nothing to the transaction, which has the partition already. */
    @Test
    void anotherUserNeitherSendsInATransactionNorAcknowledges() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.NAME);
        var audit = new ListAppender<ILoggingEvent>();
        audit.start();
        logger.addAppender(audit);
        TxnID id;
        try (RawClient bob = ruled.connect("bob");
                Producer<byte[]> producer = client.newProducer().topic(TOPIC).create();
                Consumer<byte[]> consumer = client.newConsumer()
                        .topic(TOPIC)
                        .subscriptionName("s")
                        .subscriptionType(SubscriptionType.Shared)
                        .subscribe()) {
            MessageId first = producer.send(new byte[] {0});
            MessageId second = producer.send(new byte[] {1});
            Transaction mine = begin();
            id = ((TransactionImpl) mine).getTxnID();
            producer.newMessage(mine).value(new byte[] {2}).send();
            consumer.acknowledgeAsync(first, mine).get(60, TimeUnit.SECONDS);

            bob.write(Commands.newProducer(TOPIC, 1, 1, "bob", Map.of(), false));
            bob.expect(BaseCommand.Type.PRODUCER_SUCCESS);
            send(bob, 0, id);
            assertThat(bob.expect(BaseCommand.Type.SEND_ERROR).getSendError().getError())
                    .isEqualTo(ServerError.NotAllowedError);
            send(bob, 1, null);
            bob.expect(BaseCommand.Type.SEND_RECEIPT);
            assertThat(lines(audit))
                    .singleElement()
                    .asString()
                    .contains("user=bob ")
                    .endsWith("operation=WRITE " + resource(id));
            audit.list.clear();
            // of one that is not there nothing is written, though the answer is the same
            send(bob, 2, new TxnID(id.getMostSigBits(), id.getLeastSigBits() + 1_000));
            assertThat(bob.expect(BaseCommand.Type.SEND_ERROR).getSendError().getMessage())
                    .contains("UNKNOWN_PRODUCER");
            assertThat(lines(audit)).isEmpty();

            bob.write(Commands.newSubscribe(TOPIC, "s", 2, 2, CommandSubscribe.SubType.Shared, 0, "bob", 0));
            bob.expect(BaseCommand.Type.SUCCESS);
            bob.write(ack((MessageIdImpl) second, id));
            assertThat(bob.expect(BaseCommand.Type.ACK_RESPONSE)
                            .getAckResponse()
                            .getError())
                    .isEqualTo(ServerError.TransactionNotFound);
            assertThat(lines(audit))
                    .singleElement()
                    .asString()
                    .contains("user=bob ")
                    .endsWith("operation=READ " + resource(id));
            mine.commit().get(60, TimeUnit.SECONDS);
            try (RawClient root = ruled.connect("root")) {
                root.write(Commands.newProducer(TOPIC, 1, 1, "root", Map.of(), false));
                root.expect(BaseCommand.Type.PRODUCER_SUCCESS);
                Transaction another = begin();
                producer.newMessage(another).value(new byte[] {4}).send();
                send(root, 0, ((TransactionImpl) another).getTxnID());
                root.expect(BaseCommand.Type.SEND_RECEIPT);
                another.commit().get(60, TimeUnit.SECONDS);
            }
        } finally {
            logger.detachAppender(audit);
        }
        assertThat(readAll(6)).containsExactly(0, 1, 2, (int) RAW, 4, (int) RAW);
        assertThat(ackedOf("s")).containsExactly(true, false);
    }

    private static List<String> lines(ListAppender<ILoggingEvent> audit) {
        return audit.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private static String resource(TxnID id) {
        return "resource=\"TRANSACTIONAL_ID:(" + id.getMostSigBits() + "," + id.getLeastSigBits() + ")\"";
    }

    private static void send(RawClient by, long sequence, @Nullable TxnID in) throws Exception {
        var metadata = new MessageMetadata()
                .setProducerName("raw")
                .setSequenceId(sequence)
                .setPublishTime(1);
        if (in != null) {
            metadata.setTxnidLeastBits(in.getLeastSigBits()).setTxnidMostBits(in.getMostSigBits());
        }
        ByteBuf payload = Unpooled.wrappedBuffer(new byte[] {RAW});
        ByteBufPair pair = in == null
                ? Commands.newSend(1, sequence, 1, ChecksumType.None, metadata, payload)
                : Commands.newSend(
                        1,
                        sequence,
                        1,
                        ChecksumType.None,
                        in.getLeastSigBits(),
                        in.getMostSigBits(),
                        metadata,
                        payload);
        by.write(Unpooled.copiedBuffer(pair.getFirst(), pair.getSecond()));
        pair.release();
    }

    private static ByteBuf ack(MessageIdImpl message, TxnID in) {
        return Commands.newAck(
                2,
                message.getLedgerId(),
                message.getEntryId(),
                null,
                AckType.Individual,
                null,
                Map.of(),
                in.getLeastSigBits(),
                in.getMostSigBits(),
                3);
    }

    /** First bytes of the topic's messages. */
    private List<Integer> readAll(int count) throws Exception {
        List<Integer> read = new ArrayList<>();
        try (Reader<byte[]> reader = client.newReader()
                .topic(TOPIC)
                .startMessageId(MessageId.earliest)
                .create()) {
            while (read.size() < count) {
                Message<byte[]> next = reader.readNext(30, TimeUnit.SECONDS);
                assertThat(next).as("after %s", read).isNotNull();
                read.add((int) next.getValue()[0]);
            }
            assertThat(reader.hasMessageAvailable()).isFalse();
        }
        return read;
    }

    /** Whether the first two messages are acknowledged. */
    private List<Boolean> ackedOf(String subscription) {
        PartitionLog log = ruled.gateway.broker().partition("mine", 0);
        return ruled.gateway.broker().onLoop(log, () -> {
            Cursor cursor = Objects.requireNonNull(log.subscriptions().find(subscription));
            return List.of(cursor.isAcked(0), cursor.isAcked(1));
        });
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
