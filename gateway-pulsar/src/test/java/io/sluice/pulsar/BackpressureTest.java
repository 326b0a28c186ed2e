package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that publish and read over one connection, and are slow at one of the two. */
@Timeout(90)
class BackpressureTest {
    private static final String TOPIC = "persistent://public/default/t";
    private static final String OTHER = "persistent://public/default/other";
    private static final int MESSAGE = 64 << 10;
    /** Much more than the server queues for a connection and the sockets hold. */
    private static final int MESSAGES = 200;

    private static final int RECEIVE_BYTES = 256 << 10;

    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = TestGateway.start();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private void fill(String topic, int messages, int bytes) throws Exception {
        try (PulsarClient client = gateway.client();
                Producer<byte[]> producer =
                        client.newProducer().topic(topic).enableBatching(false).create()) {
            for (int i = 0; i < messages; i++) {
                producer.sendAsync(new byte[bytes]);
            }
            producer.flush();
        }
    }

    private static void subscribe(RawClient raw, String topic, long consumer) throws IOException {
        raw.write(Commands.newSubscribe(
                topic,
                "s",
                consumer,
                consumer,
                SubType.Exclusive,
                0,
                "c",
                true,
                null,
                Map.of(),
                false,
                false,
                InitialPosition.Earliest,
                0,
                null,
                false));
        raw.expect(BaseCommand.Type.SUCCESS);
    }

    private static void produce(RawClient raw) throws IOException {
        raw.write(Commands.newProducer(OTHER, 1, 100, "p", Map.of(), false));
        raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
    }

    private static void publish(RawClient raw, int sequence, int bytes) throws IOException {
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName("p")
                .setSequenceId(sequence)
                .setPublishTime(1);
        ByteBuf payload = Unpooled.wrappedBuffer(new byte[bytes]);
        ByteBufPair pair = Commands.newSend(1, sequence, 1, ChecksumType.None, metadata, payload);
        raw.write(Unpooled.copiedBuffer(pair.getFirst(), pair.getSecond()));
        pair.release();
    }

    /** Reads until it has so many messages and receipts, in order, and nothing else. */
    private static void await(RawClient raw, int messages, int receipts) throws IOException {
        int message = 0;
        int receipt = 0;
        while (message < messages || receipt < receipts) {
            BaseCommand command = raw.read();
            if (command.getType() == BaseCommand.Type.SEND_RECEIPT) {
                assertThat(command.getSendReceipt().getSequenceId()).isEqualTo(receipt++);
            } else {
                assertThat(command.getType()).isEqualTo(BaseCommand.Type.MESSAGE);
                assertThat(command.getMessage().getMessageId().getEntryId()).isEqualTo(message++);
            }
        }
    }

    @Test
    void aClientThatReadsNothingForAWhileLosesNeitherMessagesNorReceipts() throws Exception {
        fill(TOPIC, MESSAGES, MESSAGE);
        try (RawClient raw = RawClient.connect(gateway, RECEIVE_BYTES)) {
            produce(raw);
            subscribe(raw, TOPIC, 1);
            raw.write(Commands.newFlow(1, 2 * MESSAGES));
            int publishes = 20;
            for (int i = 0; i < publishes; i++) {
                publish(raw, i, 10_000);
            }
            await(raw, MESSAGES, publishes);
        }
    }

    private static Future<?> inBackground(Callable<?> task) {
        FutureTask<?> future = new FutureTask<>(task);
        Thread.ofVirtual().start(future);
        return future;
    }

    @Test
    void aClientThatAnswersNoPingGetsItsReceiptsAndMessagesAtOnce() throws Exception {
        try (RawClient raw = RawClient.connect(gateway)) {
            produce(raw);
            subscribe(raw, OTHER, 1);
            raw.write(Commands.newFlow(1, 2 * MESSAGES));
            int publishes = 16;
            Future<?> publishing = inBackground(() -> {
                for (int i = 0; i < publishes; i++) {
                    publish(raw, i, 512 << 10);
                }
                return null;
            });
            await(raw, publishes, publishes);
            publishing.get();
        }
    }

    @Test
    void consumersOfOneConnectionTakeTurns() throws Exception {
        int topics = 8;
        int each = 1_000;
        int ahead = 100;
        for (int t = 0; t < topics; t++) {
            fill(TOPIC + t, each, 8 << 10);
        }
        try (RawClient raw = RawClient.connect(gateway, RECEIVE_BYTES)) {
            for (int t = 0; t < topics; t++) {
                subscribe(raw, TOPIC + t, t);
            }
            for (int t = 0; t < topics; t++) {
                raw.write(Commands.newFlow(t, ahead));
            }
            int[] messages = new int[topics];
            while (IntStream.of(messages).max().getAsInt() < each) {
                int t = (int) raw.expect(BaseCommand.Type.MESSAGE).getMessage().getConsumerId();
                if (++messages[t] % (ahead / 2) == 0) {
                    raw.write(Commands.newFlow(t, ahead / 2));
                }
            }
            // one that had to wait until another is done would have none; how many it has is a matter of threads
            assertThat(IntStream.of(messages)).allMatch(n -> n >= ahead / 2);
        }
    }

    @Test
    void aConnectionThatEndsWithPublishesUnderWayLeavesNothingBehind() throws Exception {
        try (RawClient raw = RawClient.connect(gateway)) {
            produce(raw);
            subscribe(raw, OTHER, 1);
            for (int i = 0; i < 16; i++) {
                publish(raw, i, 512 << 10);
            }
        }
        try (RawClient next = RawClient.connect(gateway)) {
            next.write(Commands.newProducer(OTHER, 1, 1, "q", Map.of(), false));
            next.expect(BaseCommand.Type.PRODUCER_SUCCESS);
        }
    }
}
