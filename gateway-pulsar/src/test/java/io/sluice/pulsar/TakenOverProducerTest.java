package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ProducerAccessMode;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is created and at once taken away: the client hears of both in that order, or it waits for receipts for ever. */
@Timeout(60)
class TakenOverProducerTest {
    private static final int TIMES = 200;
    private static final long FIRST = 1;
    private static final long SECOND = 2;

    private TestGateway gateway;
    private RawClient raw;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        raw = RawClient.connect(gateway);
    }

    @AfterEach
    void stop() throws Exception {
        raw.close();
        gateway.close();
    }

    private static ByteBuf producer(String topic, long id, ProducerAccessMode mode) {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.PRODUCER);
        command.setProducer().setTopic(topic).setProducerId(id).setRequestId(id).setProducerAccessMode(mode);
        return Commands.serializeWithSize(command);
    }

    @Test
    void aProducerIsThereBeforeItIsClosed() throws Exception {
        for (int i = 0; i < TIMES; i++) {
            String topic = "persistent://public/default/t" + i;
            gateway.broker().createTopic(TopicName.ofDefault("t" + i), 1, false);
            raw.write(Unpooled.wrappedBuffer(
                    producer(topic, FIRST, ProducerAccessMode.WaitForExclusive),
                    producer(topic, SECOND, ProducerAccessMode.ExclusiveWithFencing)));

            List<String> told = new ArrayList<>();
            for (int left = 3; left > 0; left--) {
                BaseCommand answer = raw.read();
                switch (answer.getType()) {
                    case PRODUCER_SUCCESS ->
                        told.add("created " + answer.getProducerSuccess().getRequestId());
                    case CLOSE_PRODUCER ->
                        told.add("closed " + answer.getCloseProducer().getProducerId());
                    default -> told.add(answer.getType().name());
                }
            }

            assertThat(told).containsSubsequence("created 1", "closed 1").contains("created 2");
            raw.write(Commands.newCloseProducer(SECOND, SECOND));
            raw.expect(BaseCommand.Type.SUCCESS);
        }
    }
}
