package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much is under way to a client that reads what has been there for long. */
@Timeout(30)
class DeliveryTest {
    private static final String TOPIC = "persistent://public/default/t";
    private static final int MESSAGES = 64;
    private static final int MESSAGE = 64 << 10;
    /** What may be under way at first, the message that reaches beyond it, and the frames around them. */
    private static final int AT_FIRST = (256 << 10) + 2 * MESSAGE;

    private TestGateway gateway;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        try (PulsarClient client = gateway.client()) {
            fill(client, TOPIC, MESSAGES, MESSAGE);
        }
    }

    private static void fill(PulsarClient client, String topic, int messages, int bytes) throws Exception {
        try (Producer<byte[]> producer =
                client.newProducer().topic(topic).enableBatching(false).create()) {
            for (int i = 0; i < messages; i++) {
                producer.sendAsync(new byte[bytes]);
            }
            producer.flush();
        }
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private static void subscribe(RawClient raw) throws Exception {
        subscribe(raw, TOPIC, 1);
    }

    private static void subscribe(RawClient raw, String topic, long consumer) throws Exception {
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

    private static void publishToo(RawClient raw) throws Exception {
        raw.write(Commands.newProducer("persistent://public/default/other", 1, 1, "p", Map.of(), false));
        raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
    }

    @Test
    void whoPublishesTooGetsMoreWhenItHasReadWhatItGot() throws Exception {
        try (RawClient raw = RawClient.connect(gateway)) {
            publishToo(raw);
            subscribe(raw);
            raw.write(Commands.newFlow(1, 1_000));
            int messages = 0;
            int pings = 0;
            while (messages < MESSAGES) {
                BaseCommand command = raw.read();
                if (command.getType() == BaseCommand.Type.PING) {
                    pings++;
                    raw.write(Commands.newPong());
                } else {
                    assertThat(command.getType()).isEqualTo(BaseCommand.Type.MESSAGE);
                    messages++;
                }
            }
            assertThat(pings).isPositive();
        }
    }

    @Test
    void consumersOfOneConnectionTakeTurns() throws Exception {
        int topics = 8;
        int each = 400;
        int ahead = 100;
        try (PulsarClient client = gateway.client()) {
            for (int t = 0; t < topics; t++) {
                fill(client, TOPIC + t, each, 8 << 10);
            }
        }
        try (RawClient raw = RawClient.connect(gateway)) {
            publishToo(raw);
            for (int t = 0; t < topics; t++) {
                subscribe(raw, TOPIC + t, t);
            }
            for (int t = 0; t < topics; t++) {
                raw.write(Commands.newFlow(t, ahead));
            }
            int[] messages = new int[topics];
            while (IntStream.of(messages).max().getAsInt() < each) {
                BaseCommand command = raw.read();
                if (command.getType() == BaseCommand.Type.PING) {
                    raw.write(Commands.newPong());
                } else {
                    int t = (int) command.getMessage().getConsumerId();
                    if (++messages[t] % (ahead / 2) == 0) {
                        raw.write(Commands.newFlow(t, ahead / 2));
                    }
                }
            }
            assertThat(IntStream.of(messages)).allMatch(n -> n > each / 8);
        }
    }

    @Test
    void whoPublishesTooAndAnswersNoPingGetsEverythingLater() throws Exception {
        try (RawClient raw = RawClient.connect(gateway)) {
            publishToo(raw);
            subscribe(raw);
            long begin = System.nanoTime();
            raw.write(Commands.newFlow(1, 1_000));
            long first = 0;
            for (int messages = 0; messages < MESSAGES; ) {
                if (raw.read().getType() == BaseCommand.Type.MESSAGE) {
                    messages++;
                    first += raw.frameBytes();
                    if (first > AT_FIRST) {
                        assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
                    }
                }
            }
        }
    }

    @Test
    void whoOnlyReadsIsNotAsked() throws Exception {
        try (RawClient raw = RawClient.connect(gateway)) {
            subscribe(raw);
            raw.write(Commands.newFlow(1, 1_000));
            for (int messages = 0; messages < MESSAGES; messages++) {
                raw.expect(BaseCommand.Type.MESSAGE);
            }
        }
    }
}
