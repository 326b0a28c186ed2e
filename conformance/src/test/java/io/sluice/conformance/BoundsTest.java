package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The section Bounds of ARCHITECTURE.md, on the built server. */
class BoundsTest {
    private static final long MEMORY = 1L << 30;
    private static final long REQUESTS = MEMORY / 8;
    private static final long FRAMES = MEMORY / 16;
    /** Least bytes of a read, doubled by the buffer that a split frame is put together in. */
    private static final int PER_CONNECTION = 2 << 10;

    private static final int WANTED_CONNECTIONS = 20_000;
    /** Of a process that is no part of the clients' connections. */
    private static final int OTHER_FILES = 1_500;

    private static final int PART = 16 << 10;
    private static final int PARTITIONS = 32;
    private static final int LOADED_RECORDS = 1_000;
    private static final int RECORD_BYTES = 100_000;

    @TempDir
    private Path folder;

    /** A first request that is whole, and a part of the second one. */
    private enum Half {
        KAFKA(ByteBuffer.allocate(15)
                .putInt(11)
                .putShort((short) 18)
                .putShort((short) 0)
                .putInt(1)
                .putShort((short) 1)
                .put((byte) 'h')),
        PULSAR(ByteBuffer.allocate(17).putInt(13).putInt(9).put(new byte[] {8, 2, 0x12, 5, 0x0a, 1, 'h', 0x20, 21}));

        private final byte[] hello;

        Half(ByteBuffer hello) {
            this.hello = hello.array();
        }

        int port(SluiceServer server) {
            return this == KAFKA ? server.ports().kafka() : server.ports().pulsar();
        }

        ByteBuffer bytes(boolean withHello) {
            byte[] first = withHello ? hello : new byte[0];
            return ByteBuffer.allocate(first.length + 4 + PART)
                    .put(first)
                    .putInt(first.length, withHello ? 4 << 20 : 2 * PART)
                    .position(0);
        }
    }

    @Test
    void halfFramesOfThousandsOfConnectionsLeaveTheNeighboursServed() throws Exception {
        try (SluiceServer server = SluiceServer.start(
                        folder.resolve("data"), "store: {containers: 16}", Map.of("SLUICE_MEMORY", "1g"));
                Neighbours neighbours = new Neighbours(server)) {
            neighbours.roundTrip();
            List<SocketChannel> open = new ArrayList<>();
            int connections = connections();
            double mostHeld = 0;
            ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();
            KafkaSide side = new KafkaSide(server.kafka());
            side.create("load", PARTITIONS);
            try (KafkaProducer<String, String> load = side.producer(Map.of("linger.ms", 5, "batch.size", 900_000))) {
                String value = "x".repeat(RECORD_BYTES);
                for (int n = 0; n < connections; n++) {
                    open.add(half(server, n));
                    if (n % (connections / LOADED_RECORDS) == 0) {
                        load.send(new ProducerRecord<>("load", n % PARTITIONS, null, value), (sent, failure) -> {
                            if (failure != null) {
                                failures.add(failure);
                            }
                        });
                    }
                    if (n % 2_000 == 0) {
                        neighbours.roundTrip();
                        assertBounds(server, n);
                        mostHeld = Math.max(mostHeld, requestBytes(server));
                    }
                }
                for (int i = 0; i < 10; i++) {
                    neighbours.roundTrip();
                    assertBounds(server, connections);
                }
                load.flush();
            } finally {
                for (SocketChannel channel : open) {
                    channel.close();
                }
            }
            assertThat(failures).isEmpty();
            assertThat(mostHeld).as("all that may arrive unasked").isGreaterThan(REQUESTS / 8.0);
            neighbours.roundTrip();
            await().atMost(Duration.ofSeconds(30)).until(() -> requestBytes(server) < 1 << 20);
            assertThat(server.output()).doesNotContain("Exception", "OutOf");
        }
    }

    private static void assertBounds(SluiceServer server, int connections) throws Exception {
        assertThat(requestBytes(server)).isLessThanOrEqualTo(REQUESTS + (double) connections * PER_CONNECTION);
        assertThat(server.metric("sluice_container_log_inflight_bytes")).isLessThanOrEqualTo(FRAMES);
        assertThat(server.residentBytes()).isLessThan(MEMORY);
    }

    private static double requestBytes(SluiceServer server) throws IOException, InterruptedException {
        return server.metric("sluice_requests_memory_bytes");
    }

    private static SocketChannel half(SluiceServer server, int n) throws IOException {
        Half protocol = Half.values()[n % 2];
        SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", protocol.port(server)));
        try {
            channel.write(protocol.bytes(n % 8 > 1));
        } catch (IOException e) {
            // closed already: its memory was wanted
        }
        return channel;
    }

    /** As many as both processes may have files open; a system that allows 20,000 files allows some 18,500. */
    private static int connections() throws IOException {
        String limit = Files.readAllLines(Path.of("/proc/self/limits"), StandardCharsets.UTF_8).stream()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.split(" {2,}")[2])
                .findFirst()
                .orElseThrow();
        long most = limit.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(limit);
        return (int) Math.min(WANTED_CONNECTIONS, most - OTHER_FILES);
    }
}
