package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Acknowledgements, without an answer, that meet a partition which has just gone elsewhere. */
@Timeout(90)
class LateAckTest {
    private static final TopicName NAME = TopicName.ofDefault("t");
    private static final String TOPIC = NAME.toString();
    private static final int MESSAGES = 3;
    private static final long CONSUMER = 1;

    private TestGateway gateway;
    private RawClient raw;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        gateway.broker().createTopic(NAME, 1, false);
        raw = RawClient.connect(gateway);
    }

    @AfterEach
    void stop() throws Exception {
        raw.close();
        gateway.close();
    }

    @Test
    void areCarriedOutWhenTheConsumerHasSubscribedAnew() throws Exception {
        publish();
        subscribe("s");
        MessageIdData last = receiveAll();
        move();
        until(BaseCommand.Type.CLOSE_CONSUMER);
        ackUpTo(last);
        subscribe("s");
        await().atMost(Duration.ofSeconds(30)).until(() -> ackedBelow("s") == MESSAGES);
    }

    @Test
    void areCarriedOutAfterAnotherMove() throws Exception {
        publish();
        subscribe("s");
        MessageIdData last = receiveAll();
        move();
        until(BaseCommand.Type.CLOSE_CONSUMER);
        ackUpTo(last);
        move();
        subscribe("s");
        await().atMost(Duration.ofSeconds(30)).until(() -> ackedBelow("s") == MESSAGES);
    }

    @Test
    void concernTheSubscriptionThatTheConsumerHad() throws Exception {
        publish();
        subscribe("s");
        MessageIdData last = receiveAll();
        move();
        until(BaseCommand.Type.CLOSE_CONSUMER);
        ackUpTo(last);
        subscribe("other");
        receiveAll();
        raw.write(Commands.newCloseConsumer(CONSUMER, 9, null, null));
        until(BaseCommand.Type.SUCCESS);
        assertThat(ackedBelow("other")).isZero();
        assertThat(ackedBelow("s")).isZero();
    }

    /** What a seek goes back over is not acknowledged by what the client had sent before it heard of it. */
    @Test
    void areNothingAfterASeek() throws Exception {
        publish();
        subscribe("s");
        MessageIdData last = receiveAll();
        raw.write(Commands.newSeek(CONSUMER, 5, last.getLedgerId(), 0, new long[0]));
        until(BaseCommand.Type.CLOSE_CONSUMER);
        until(BaseCommand.Type.SUCCESS);
        ackUpTo(last);
        subscribe("s");
        receiveAll();
        assertThat(ackedBelow("s")).isZero();
    }

    private void move() {
        int now = Objects.requireNonNull(gateway.broker().catalogue().find(NAME))
                .partitions()
                .getFirst()
                .container();
        gateway.broker().catalogue().move(NAME, 0, 1 - now).join();
    }

    private void publish() throws IOException {
        raw.write(Commands.newProducer(TOPIC, 1, 1, "p", Map.of(), false));
        raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
        for (int i = 0; i < MESSAGES; i++) {
            MessageMetadata metadata =
                    new MessageMetadata().setProducerName("p").setSequenceId(i).setPublishTime(1);
            ByteBuf payload = Unpooled.wrappedBuffer(new byte[10]);
            ByteBufPair pair = Commands.newSend(1, i, 1, ChecksumType.None, metadata, payload);
            raw.write(Unpooled.copiedBuffer(pair.getFirst(), pair.getSecond()));
            pair.release();
            raw.expect(BaseCommand.Type.SEND_RECEIPT);
        }
        raw.write(Commands.newCloseProducer(1, 2, null, null));
        raw.expect(BaseCommand.Type.SUCCESS);
    }

    private void subscribe(String subscription) throws IOException {
        raw.write(Commands.newSubscribe(TOPIC, subscription, CONSUMER, 3, SubType.Exclusive, 0, "c", 0));
        until(BaseCommand.Type.SUCCESS);
    }

    private BaseCommand until(BaseCommand.Type type) throws IOException {
        BaseCommand command = raw.read();
        while (command.getType() != type) {
            command = raw.read();
        }
        return command;
    }

    private MessageIdData receiveAll() throws IOException {
        raw.write(Commands.newFlow(CONSUMER, 100));
        MessageIdData last = new MessageIdData();
        for (int received = 0; received < MESSAGES; received++) {
            BaseCommand command = until(BaseCommand.Type.MESSAGE);
            assertThat(command.getMessage().getMessageId().getEntryId()).isEqualTo(received);
            last.copyFrom(command.getMessage().getMessageId());
        }
        return last;
    }

    private void ackUpTo(MessageIdData last) throws IOException {
        raw.write(Commands.newAck(
                CONSUMER, last.getLedgerId(), last.getEntryId(), null, AckType.Cumulative, null, Map.of(), -1));
    }

    private long ackedBelow(String subscription) {
        PartitionLog log = Objects.requireNonNull(gateway.broker().partitions().find(NAME, 0));
        return gateway.broker()
                .onLoop(
                        log,
                        () -> Objects.requireNonNull(log.subscriptions().find(subscription))
                                .ackedBelow());
    }
}
