package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Durable;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends that are refused for good: each client hears of it in the way that it understands. */
class RefusedSendsTest extends ClientTest {
    private static final String TOPIC = "persistent://public/default/t";

    private static void create(RawClient raw, long request) throws Exception {
        raw.write(Commands.newProducer(TOPIC, 1, request, "p", Map.of(), false));
    }

    private static void expectProducer(RawClient raw, long request) throws Exception {
        create(raw, request);
        raw.expect(Type.PRODUCER_SUCCESS);
    }

    private static ServerError expectError(RawClient raw, long request) throws Exception {
        create(raw, request);
        BaseCommand answer = raw.expect(Type.ERROR);
        assertThat(answer.getError().getRequestId()).isEqualTo(request);
        assertThat(answer.getError().getMessage()).isNotBlank();
        return answer.getError().getError();
    }

    /** @param messages in the batch; -1 is refused */
    private static ByteBuf send(long sequence, int messages) {
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName("p")
                .setSequenceId(sequence)
                .setPublishTime(1)
                .setNumMessagesInBatch(messages);
        ByteBufPair pair =
                Commands.newSend(1, sequence, 1, ChecksumType.Crc32c, metadata, Unpooled.wrappedBuffer(new byte[10]));
        ByteBuf frame = Unpooled.copiedBuffer(pair.getFirst(), pair.getSecond());
        pair.release();
        return frame;
    }

    @ParameterizedTest
    @ValueSource(strings = {"Pulsar-Go-v0.19.0", "Pulsar Go 0.9.0", "Pulsar-CPP-v3.8.0"})
    void theProducerIsClosedAndFencedWhereOneSendCannotBeRefused(String version) throws Exception {
        try (RawClient raw = RawClient.connect(gateway, version)) {
            expectProducer(raw, 1);
            raw.write(Unpooled.wrappedBuffer(send(0, 1), send(1, -1), send(2, 1)));
            raw.expect(Type.SEND_RECEIPT);
            assertThat(raw.expect(Type.CLOSE_PRODUCER).getCloseProducer().getProducerId())
                    .isEqualTo(1);
            assertThat(expectError(raw, 2)).isEqualTo(ServerError.ProducerFenced);
            expectProducer(raw, 3);
            raw.write(send(3, 1));
            assertThat(raw.expect(Type.SEND_RECEIPT).getSendReceipt().getSequenceId())
                    .isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Pulsar-Java-v4.2.4", "another"})
    void oneSendIsRefusedWhereItCanBe(String version) throws Exception {
        try (RawClient raw = RawClient.connect(gateway, version)) {
            expectProducer(raw, 1);
            raw.write(Unpooled.wrappedBuffer(send(0, 1), send(1, -1), send(2, 1)));
            raw.expect(Type.SEND_RECEIPT);
            assertThat(raw.expect(Type.SEND_ERROR).getSendError().getError()).isEqualTo(ServerError.NotAllowedError);
            raw.expect(Type.SEND_RECEIPT);
        }
    }

    @Test
    void aProducerThatIsClosedIsFencedNoMore() throws Exception {
        try (RawClient raw = RawClient.connect(gateway, "Pulsar-Go-v0.19.0")) {
            expectProducer(raw, 1);
            raw.write(send(1, -1));
            raw.expect(Type.CLOSE_PRODUCER);
            raw.write(Commands.newCloseProducer(1, 2));
            raw.expect(Type.SUCCESS);
            expectProducer(raw, 3);
        }
    }

    @Test
    void aTerminatedTopicStaysSo() throws Exception {
        try (RawClient raw = RawClient.connect(gateway, "Pulsar-Go-v0.19.0")) {
            expectProducer(raw, 1);
            PartitionLog log = gateway.broker().partition("t", 0);
            CompletableFuture<Void> terminated = new CompletableFuture<>();
            gateway.broker().onLoop(log, () -> {
                log.terminate(Durable.of(() -> terminated.complete(null), why -> terminated.cancel(false)));
                return 0;
            });
            terminated.get(SOON, TimeUnit.SECONDS);
            raw.write(send(0, 1));
            raw.expect(Type.CLOSE_PRODUCER);
            assertThat(expectError(raw, 2)).isEqualTo(ServerError.TopicTerminatedError);
            assertThat(expectError(raw, 3)).isEqualTo(ServerError.TopicTerminatedError);
        }
    }
}
