package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.SilentOutlet;
import io.sluice.pulsar.TestGateway;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.Participant;
import io.sluice.transactions.SingleTransaction;
import io.sluice.transactions.TransactionError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ProducerAccessMode;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sends of one producer are appended in the order in which they came, although a coordinator answers later. */
@Timeout(60)
class SendVerificationTest {
    private static final SingleTransaction TRANSACTION = new SingleTransaction(0, 7);

    private final TestGateway gateway = TestGateway.start();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    /** The coordinator's answers that are not given yet; written by the loop. */
    private final List<Consumer<@Nullable TransactionError>> asked = new ArrayList<>();

    private volatile boolean usesAll;
    private PartitionLog log;
    private ClientProducer producer;
    private ProducerSession session;

    @BeforeEach
    void produce() {
        gateway.broker().createTopic("t", 1);
        log = gateway.broker().partition("t", 0);
        var services = gateway.gateway().services();
        Connection connection = new Connection(channel, services, (_, _, _, _) -> {});
        var identity = new ProducerSession.Identity(1, "p", true, 0, ProducerAccessMode.Shared, -1, Map.of());
        session = new ProducerSession(identity, new SilentOutlet(), 0);
        ClientProducer.Link usual = connection.publishing().link();
        var link = new ClientProducer.Link(usual.out(), usual.answers(), usual.meters(), new AskedLater());
        producer = new ClientProducer(link, session, TopicName.ofDefault("t"), log, new Participant("t", 0));
        gateway.broker().onLoop(log, () -> {
            services.hubs().on(log, "t", 0).produce(session, new MustAttach());
            return true;
        });
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        gateway.close();
    }

    private PendingSend send(long sequence, @Nullable SingleTransaction in) {
        ByteBuf entry = in == null
                ? TestEntries.pulsar(EntryHeader.NO_PRODUCER, sequence, 1, 10, 1)
                : TestEntries.pulsarIn(in.producerId(), EntryHeader.NO_PRODUCER, sequence, 1, 10, 1);
        var parcel = new PendingSend.Parcel(sequence, sequence, 1, entry.readableBytes());
        PendingSend send = new PendingSend(producer, parcel, entry, in);
        gateway.gateway().services().budget().take(parcel.bytes());
        producer.add(send);
        send.submit();
        return send;
    }

    /** The questions asked by all that was submitted. */
    private List<Consumer<@Nullable TransactionError>> questions() {
        return gateway.broker().onLoop(log, () -> List.copyOf(asked));
    }

    private BaseCommand answerTo(PendingSend send) throws InterruptedException {
        awaitAnswer(send);
        return send.answer(1);
    }

    private void awaitAnswer(PendingSend send) throws InterruptedException {
        while (!send.answered()) {
            channel.runPendingTasks();
            LockSupport.parkNanos(1_000_000);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private long offsetOf(PendingSend send) throws InterruptedException {
        return answerTo(send).getSendReceipt().getMessageId().getEntryId();
    }

    @Test
    void whateverComesMeanwhileWaitsBehindTheSendThatAsks() throws InterruptedException {
        List<PendingSend> sends = List.of(send(0, TRANSACTION), send(1, null), send(2, TRANSACTION), send(3, null));
        assertThat(questions()).hasSize(1);
        long end = gateway.broker().onLoop(log, log::sequencedEnd);
        assertThat(end).isZero();

        questions().getFirst().accept(null);
        for (int i = 0; i < sends.size(); i++) {
            assertThat(offsetOf(sends.get(i))).isEqualTo(i);
        }
        assertThat(offsetOf(send(4, TRANSACTION))).isEqualTo(4);
        assertThat(questions()).hasSize(1);
    }

    /** The transaction may be another user's. */
    @Test
    void aTransactionThatOthersHaveOpenedIsAskedForOnce() throws InterruptedException {
        gateway.broker().onLoop(log, () -> {
            var transactions = log.transactions();
            transactions.verified(transactions.verify(TRANSACTION.producerId(), ProducerIds.SINGLE_EPOCH));
            ByteBuf entry = TestEntries.pulsarIn(TRANSACTION.producerId(), EntryHeader.NO_PRODUCER, 0, 1, 10, 1);
            log.append(entry, new Ignoring());
            return true;
        });
        PendingSend refused = send(0, TRANSACTION);
        assertThat(questions()).hasSize(1);
        questions().getLast().accept(TransactionError.UNKNOWN_PRODUCER);
        assertThat(answerTo(refused).getSendError().getError()).isEqualTo(ServerError.NotAllowedError);
        assertThat(gateway.broker().<Long>onLoop(log, log::sequencedEnd)).isEqualTo(1);

        PendingSend taken = send(1, TRANSACTION);
        questions().getLast().accept(null);
        assertThat(offsetOf(taken)).isEqualTo(1);
        assertThat(offsetOf(send(2, TRANSACTION))).isEqualTo(2);
        assertThat(questions()).hasSize(2);
    }

    @Test
    void whoMayUseAllTransactionsAsksForNoneThatIsOpen() throws InterruptedException {
        usesAll = true;
        PendingSend first = send(0, TRANSACTION);
        questions().getFirst().accept(null);
        assertThat(offsetOf(first)).isZero();
        for (int other = 1; other <= 200; other++) {
            PendingSend next = send(other, new SingleTransaction(0, 7 + other));
            questions().getLast().accept(null);
            assertThat(offsetOf(next)).isEqualTo(other);
        }
        assertThat(offsetOf(send(201, TRANSACTION))).isEqualTo(201);
        assertThat(questions()).hasSize(201);
    }

    @Test
    void aRefusedSendLetsThoseBehindItGoOn() throws InterruptedException {
        PendingSend first = send(0, TRANSACTION);
        PendingSend second = send(1, TRANSACTION);
        PendingSend third = send(2, null);
        questions().getFirst().accept(TransactionError.UNKNOWN_PRODUCER);
        assertThat(answerTo(first).getSendError().getError()).isEqualTo(ServerError.NotAllowedError);
        assertThat(questions()).hasSize(2);
        questions().getLast().accept(TransactionError.UNKNOWN_PRODUCER);
        assertThat(answerTo(second).getSendError().getError()).isEqualTo(ServerError.NotAllowedError);
        assertThat(offsetOf(third)).isZero();
    }

    /** As when another producer takes the topic over. */
    @Test
    void aProducerThatIsGoneWhenTheAnswerComesAppendsNothing() throws InterruptedException {
        PendingSend first = send(0, TRANSACTION);
        PendingSend second = send(1, null);
        List<Consumer<@Nullable TransactionError>> before = questions();
        gateway.broker().onLoop(log, () -> {
            gateway.gateway().services().hubs().on(log, "t", 0).remove(session);
            return true;
        });
        before.getFirst().accept(null);
        awaitAnswer(first);
        awaitAnswer(second);
        assertThat(first.dropped()).isTrue();
        assertThat(second.dropped()).isTrue();
        assertThat(gateway.broker().<Long>onLoop(log, log::sequencedEnd)).isZero();
    }

    /** Else it would open the transaction again, and nobody would end it. */
    @Test
    void anEndThatComesBeforeTheAnswerMakesItWorthless() throws InterruptedException {
        PendingSend first = send(0, TRANSACTION);
        List<Consumer<@Nullable TransactionError>> before = questions();
        gateway.broker().onLoop(log, () -> {
            ByteBuf marker = EndMarker.entry(
                    UnpooledByteBufAllocator.DEFAULT, TRANSACTION.producerId(), ProducerIds.SINGLE_EPOCH, 1, true, 1);
            log.append(marker, new Ignoring());
            return true;
        });
        before.getFirst().accept(null);
        assertThat(questions()).hasSize(2);
        questions().getLast().accept(TransactionError.INVALID_STATE);
        assertThat(answerTo(first).getSendError().getError()).isEqualTo(ServerError.NotAllowedError);
        assertThat(gateway.broker()
                        .<Integer>onLoop(log, () -> log.transactions().openTransactions()))
                .isZero();
    }

    /** The client looks the partition up again and sends all of them once more. */
    @Test
    void aContainerThatStopsGivesBackWhatWaits() throws InterruptedException {
        List<PendingSend> sends = List.of(send(0, TRANSACTION), send(1, null));
        List<Consumer<@Nullable TransactionError>> before = questions();
        gateway.broker().containers().stop(log.container().id());
        before.getFirst().accept(null);
        for (PendingSend send : sends) {
            awaitAnswer(send);
            assertThat(send.dropped()).isTrue();
        }
        assertThat(gateway.gateway().services().budget().used()).isZero();
    }

    /** The coordinator. */
    private final class AskedLater implements SendVerification.Coordinator {
        @Override
        public boolean usesAll() {
            return usesAll;
        }

        @Override
        public void verify(
                SingleTransaction transaction, Participant partition, Consumer<@Nullable TransactionError> answer) {
            asked.add(answer);
        }
    }

    private record Ignoring() implements AppendReply {
        @Override
        public void appended(long baseOffset, long lastOffset) {}

        @Override
        public void duplicate(long baseOffset, long lastOffset) {}

        @Override
        public void rejected(AppendRejection why) {}

        @Override
        public void failed(StoreFailure why) {}
    }
}
