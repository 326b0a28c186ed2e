package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionLog;
import java.io.IOException;
import java.util.List;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cumulative acknowledgement, which Java's client sends to Exclusive and Failover subscriptions only. */
@Timeout(90)
class CumulativeAckTest {
    private static final String TOPIC = "persistent://public/default/t";
    private static final int MESSAGES = 3;

    private TestGateway gateway;
    private RawClient raw;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        raw = RawClient.connect(gateway);
        raw.write(Commands.newProducer(TOPIC, 1, 1, "p", Map.of(), false));
        raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
    }

    @AfterEach
    void stop() throws Exception {
        raw.close();
        gateway.close();
    }

    private void publish() throws IOException {
        for (int i = 0; i < MESSAGES; i++) {
            MessageMetadata metadata =
                    new MessageMetadata().setProducerName("p").setSequenceId(i).setPublishTime(1);
            ByteBuf payload = Unpooled.wrappedBuffer(new byte[10]);
            ByteBufPair pair = Commands.newSend(1, i, 1, ChecksumType.None, metadata, payload);
            raw.write(Unpooled.copiedBuffer(pair.getFirst(), pair.getSecond()));
            pair.release();
            raw.expect(BaseCommand.Type.SEND_RECEIPT);
        }
    }

    @ParameterizedTest
    @EnumSource(SubType.class)
    void isCarriedOutWhereOneConsumerReadsInOrder(SubType type) throws Exception {
        raw.write(Commands.newSubscribe(TOPIC, "s", 1, 2, type, 0, "c", 0));
        BaseCommand subscribed = raw.read();
        while (subscribed.getType() != BaseCommand.Type.SUCCESS) {
            subscribed = raw.read();
        }
        publish();
        raw.write(Commands.newFlow(1, 100));
        MessageIdData last = new MessageIdData();
        for (int received = 0; received < MESSAGES; ) {
            BaseCommand command = raw.read();
            if (command.getType() == BaseCommand.Type.MESSAGE) {
                last.copyFrom(command.getMessage().getMessageId());
                received++;
            }
        }
        raw.write(
                Commands.newAck(1, last.getLedgerId(), last.getEntryId(), null, AckType.Cumulative, null, Map.of(), 7));
        BaseCommand answer = raw.expect(BaseCommand.Type.ACK_RESPONSE);
        assertThat(answer.getAckResponse().hasError()).isFalse();

        boolean inOrder = List.of(SubType.Exclusive, SubType.Failover).contains(type);
        PartitionLog log = gateway.broker().partition("t", 0);
        long ackedBelow = gateway.broker()
                .onLoop(
                        log,
                        () -> Objects.requireNonNull(log.subscriptions().find("s"))
                                .ackedBelow());
        assertThat(ackedBelow).isEqualTo(inOrder ? MESSAGES : 0);
    }
}
