package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that announce large messages, send a part and then nothing. */
@Timeout(90)
class HalfFramesTest {
    private static final int PUBLISH_BYTES = 6 << 20;
    /** Of all requests, the parts of frames among them. */
    private static final long MEMORY = PUBLISH_BYTES * 8 / 3;

    private static final int CLIENTS = 300;
    private static final int PART = 100_000;

    private final List<RawClient> halves = new ArrayList<>();
    private TestGateway gateway;

    @BeforeEach
    void start() {
        Limits l = Limits.DEFAULTS;
        Limits small = new Limits(
                l.maxMessageBytes(),
                PUBLISH_BYTES,
                l.pendingSends(),
                l.outboundBytes(),
                l.unackedMessages(),
                l.unackedOfSubscription(),
                l.lookAhead(),
                l.connections(),
                l.handshake(),
                l.keepAlive(),
                l.streamGrace(),
                l.quotaChecks(),
                l.inactivityChecks());
        gateway = TestGateway.start(c -> new PulsarGatewayConfig(
                c.host(),
                c.port(),
                c.advertisedHost(),
                c.advertisedPort(),
                c.listeners(),
                c.httpUrl(),
                c.clusterName(),
                c.instance(),
                c.topics(),
                c.deduplication(),
                c.compactionThreshold(),
                small));
    }

    @AfterEach
    void stop() throws Exception {
        for (RawClient each : halves) {
            each.close();
        }
        gateway.close();
    }

    @Test
    void theirBytesAreBoundedAndTheNeighbourIsServed() throws Exception {
        long before = PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
        try (PulsarClient client = gateway.client();
                Producer<byte[]> producer =
                        client.newProducer().topic("t").enableBatching(false).create();
                Consumer<byte[]> consumer =
                        client.newConsumer().topic("t").subscriptionName("s").subscribe()) {
            for (int i = 0; i < CLIENTS; i++) {
                RawClient half = RawClient.connect(gateway);
                halves.add(half);
                ByteBuf part = Unpooled.buffer().writeInt(4 << 20).writeZero(PART);
                try {
                    half.write(part);
                } catch (IOException e) {
                    part.release(); // its memory was wanted
                }
            }
            for (int i = 0; i < 20; i++) {
                producer.sendAsync(new byte[300_000]).get(30, TimeUnit.SECONDS);
                assertThat(consumer.receive(30, TimeUnit.SECONDS).getData()).hasSize(300_000);
                assertThat(PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() - before)
                        .isLessThan(MEMORY + Limits.DEFAULTS.outboundBytes() * 4L);
            }
            for (RawClient each : halves) {
                each.close();
            }
            await().until(() -> PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() - before < 4 << 20);
        }
    }
}
