package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Map;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that publishes megabytes at once. */
@Timeout(30)
class PublishAheadTest {
    private static final String TOPIC = "persistent://public/default/t";
    private static final int MESSAGE_BYTES = 512 << 10;
    private static final int MESSAGES = 16;

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

    private void subscribe() throws IOException {
        raw.write(Commands.newSubscribe(TOPIC, "s", 1, 2, SubType.Exclusive, 0, "c", 0));
        raw.expect(BaseCommand.Type.SUCCESS);
    }

    private void publish() throws IOException {
        for (int i = 0; i < MESSAGES; i++) {
            MessageMetadata metadata =
                    new MessageMetadata().setProducerName("p").setSequenceId(i).setPublishTime(1);
            ByteBuf payload = Unpooled.wrappedBuffer(new byte[MESSAGE_BYTES]);
            ByteBufPair pair = Commands.newSend(1, i, 1, ChecksumType.None, metadata, payload);
            raw.write(Unpooled.copiedBuffer(pair.getFirst(), pair.getSecond()));
            pair.release();
        }
    }

    /** Reads until all messages have their receipts; says how many pings there were. */
    private int awaitReceipts(boolean answersPings) throws IOException {
        int pings = 0;
        for (int receipts = 0; receipts < MESSAGES; ) {
            BaseCommand command = raw.read();
            if (command.getType() == BaseCommand.Type.PING) {
                pings++;
                if (answersPings) {
                    raw.write(Commands.newPong());
                }
            } else {
                assertThat(command.getType()).isEqualTo(BaseCommand.Type.SEND_RECEIPT);
                assertThat(command.getSendReceipt().getSequenceId()).isEqualTo(receipts);
                receipts++;
            }
        }
        return pings;
    }

    @Test
    void aClientThatAlsoReadsIsAskedToAnswerInBetween() throws Exception {
        subscribe();
        publish();
        assertThat(awaitReceipts(true)).isPositive();
    }

    @Test
    void aClientThatAnswersNoPingsGetsItsReceiptsAllTheSame() throws Exception {
        subscribe();
        publish();
        assertThat(awaitReceipts(false)).isPositive();
    }

    @Test
    void aClientThatOnlyPublishesIsNotAsked() throws Exception {
        publish();
        assertThat(awaitReceipts(false)).isZero();
    }

    @Test
    void aConnectionThatEndsWhileSendsAreHeldLeavesNothingBehind() throws Exception {
        subscribe();
        publish();
        raw.close();
        try (RawClient next = RawClient.connect(gateway)) {
            next.write(Commands.newProducer(TOPIC, 1, 1, "q", Map.of(), false));
            next.expect(BaseCommand.Type.PRODUCER_SUCCESS);
        }
    }
}
