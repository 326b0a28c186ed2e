package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.pulsar.wire.Replies;
import io.sluice.store.segment.InMemoryContainer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.api.proto.CommandProducerSuccess;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SUBSCRIBE and PRODUCER with an id that the connection has already: clients that reconnect by themselves send them. */
class RepeatedIdsTest extends ClientTest {
    private static final String TOPIC = "persistent://public/default/t";

    private RawClient raw;
    private long requests;

    @BeforeEach
    void connect() throws Exception {
        raw = RawClient.connect(gateway);
    }

    @AfterEach
    void disconnect() throws Exception {
        raw.close();
    }

    private long subscribeRaw(String topic, String subscription) throws Exception {
        BaseCommand command = new BaseCommand().setType(Type.SUBSCRIBE);
        command.setSubscribe()
                .setTopic(topic)
                .setSubscription(subscription)
                .setSubType(SubType.Exclusive)
                .setInitialPosition(CommandSubscribe.InitialPosition.Earliest)
                .setConsumerId(1)
                .setRequestId(++requests);
        raw.write(Commands.serializeWithSize(command));
        return requests;
    }

    private void expectSuccess(long request) throws Exception {
        assertThat(raw.expect(Type.SUCCESS).getSuccess().getRequestId()).isEqualTo(request);
    }

    private void expectError(long request, ServerError error) throws Exception {
        BaseCommand answer = raw.expect(Type.ERROR);
        assertThat(answer.getError().getRequestId()).isEqualTo(request);
        assertThat(answer.getError().getError()).isEqualTo(error);
    }

    /** What was asked before has reached the container's loop, or has been answered. */
    private void expectNoAnswer() throws Exception {
        raw.write(Replies.ping());
        raw.expect(Type.PONG);
    }

    @Test
    void aConsumerThatIsThereIsSubscribedAgain() throws Exception {
        expectSuccess(subscribeRaw(TOPIC, "s"));
        expectSuccess(subscribeRaw(TOPIC, "s"));
        try (var producer = single("t")) {
            send(producer, 1);
            raw.write(Commands.newFlow(1, 10));
            assertThat(raw.expect(Type.MESSAGE).getMessage().getConsumerId()).isEqualTo(1);
            send(producer, 2);
            raw.expect(Type.MESSAGE);
        }
        raw.write(Commands.newCloseConsumer(1, ++requests, null, null));
        expectSuccess(requests);
        try (var another = subscribe("t").subscribe()) {
            expect(another, 1, 2);
        }
    }

    @Test
    void anotherTopicChangesNothing() throws Exception {
        expectSuccess(subscribeRaw(TOPIC, "s"));
        expectSuccess(subscribeRaw(TOPIC + "-other", "another"));
        raw.write(Commands.newFlow(1, 10));
        try (var producer = single("t")) {
            send(producer, 1);
            raw.expect(Type.MESSAGE);
        }
    }

    @Test
    void aConsumerThatIsBeingSubscribedIsWaitedFor() throws Exception {
        try (var producer = single("t")) {
            send(producer, 1);
        }
        InMemoryContainer container = container();
        container.hold();
        long first = subscribeRaw(TOPIC, "s");
        expectError(subscribeRaw(TOPIC, "s"), ServerError.ServiceNotReady);
        container.release();
        expectSuccess(first);
        expectSuccess(subscribeRaw(TOPIC, "s"));
    }

    @Test
    void aConsumerThatWasGivenUpMayComeAgainWhenItsSubscribingHasEnded() throws Exception {
        try (var producer = single("t")) {
            send(producer, 1);
        }
        InMemoryContainer container = container();
        container.hold();
        subscribeRaw(TOPIC, "s");
        raw.write(Commands.newCloseConsumer(1, ++requests, null, null));
        expectSuccess(requests);
        expectError(subscribeRaw(TOPIC, "s"), ServerError.UnknownError);
        container.release();
        Type answer = Type.ERROR;
        while (answer == Type.ERROR) {
            subscribeRaw(TOPIC, "s");
            answer = raw.read().getType();
        }
        assertThat(answer).isEqualTo(Type.SUCCESS);
        raw.write(Commands.newFlow(1, 10));
        raw.expect(Type.MESSAGE);
    }

    private InMemoryContainer container() {
        var log = gateway.broker().partition("t", 0);
        return gateway.broker().containers().get(log.container().id());
    }

    private long produceRaw(long id, ProducerAccessMode mode) throws Exception {
        raw.write(Commands.newProducer(
                TOPIC, id, ++requests, "p" + id, false, Map.of(), null, 0, true, mode, Optional.empty(), false));
        return requests;
    }

    private CommandProducerSuccess expectProducer(long request) throws Exception {
        CommandProducerSuccess success = raw.expect(Type.PRODUCER_SUCCESS).getProducerSuccess();
        assertThat(success.getRequestId()).isEqualTo(request);
        return success;
    }

    private void sendRaw(long producer, long sequence) throws Exception {
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName("p" + producer)
                .setSequenceId(sequence)
                .setPublishTime(1);
        ByteBufPair pair = Commands.newSend(
                producer, sequence, 1, ChecksumType.Crc32c, metadata, Unpooled.wrappedBuffer(new byte[10]));
        ByteBuf frame = Unpooled.copiedBuffer(pair.getFirst(), pair.getSecond());
        pair.release();
        raw.write(frame);
    }

    @Test
    void aProducerThatIsThereIsCreatedAgain() throws Exception {
        expectProducer(produceRaw(1, ProducerAccessMode.Shared));
        sendRaw(1, 7);
        raw.expect(Type.SEND_RECEIPT);
        CommandProducerSuccess again = expectProducer(produceRaw(1, ProducerAccessMode.Shared));
        assertThat(again.getProducerName()).isEqualTo("p1");
        assertThat(again.getLastSequenceId()).isEqualTo(7);
        assertThat(again.isProducerReady()).isTrue();
        sendRaw(1, 8);
        BaseCommand receipt = raw.expect(Type.SEND_RECEIPT);
        assertThat(receipt.getSendReceipt().getSequenceId()).isEqualTo(8);
        assertThat(gateway.broker().partition("t", 0).durableEnd()).isEqualTo(2);
    }

    @Test
    void anExclusiveProducerKeepsItsEpoch() throws Exception {
        long epoch = expectProducer(produceRaw(1, ProducerAccessMode.Exclusive)).getTopicEpoch();
        assertThat(expectProducer(produceRaw(1, ProducerAccessMode.Exclusive)).getTopicEpoch())
                .isEqualTo(epoch);
    }

    @Test
    void aProducerThatIsNotReadyIsWaitedFor() throws Exception {
        expectProducer(produceRaw(1, ProducerAccessMode.Exclusive));
        long waiting = produceRaw(2, ProducerAccessMode.WaitForExclusive);
        assertThat(expectProducer(waiting).isProducerReady()).isFalse();
        expectError(produceRaw(2, ProducerAccessMode.WaitForExclusive), ServerError.ServiceNotReady);
        raw.write(Commands.newCloseProducer(1, ++requests));
        // the next is let in by the first one's end, and may hear of it earlier
        BaseCommand one = raw.read();
        BaseCommand other = raw.read();
        assertThat(List.of(one.getType(), other.getType()))
                .containsExactlyInAnyOrder(Type.SUCCESS, Type.PRODUCER_SUCCESS);
        assertThat(expectProducer(produceRaw(2, ProducerAccessMode.WaitForExclusive))
                        .isProducerReady())
                .isTrue();
    }

    @Test
    void aProducerIsTheSameForItsConnectionOnly() throws Exception {
        expectProducer(produceRaw(1, ProducerAccessMode.Shared));
        try (RawClient other = RawClient.connect(gateway)) {
            other.write(Commands.newProducer(TOPIC, 1, 1, "p1", Map.of(), true));
            assertThat(other.expect(Type.ERROR).getError().getError()).isEqualTo(ServerError.ProducerBusy);
        }
        expectNoAnswer();
    }
}
