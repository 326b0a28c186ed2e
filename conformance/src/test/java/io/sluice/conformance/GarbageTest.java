package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What arrives on a port need not be the protocol: clients beside it notice nothing, and memory comes back. */
class GarbageTest {
    private static final int HALF_OPEN = 10_000;
    private static final long SLACK_BYTES = 96L << 20;

    @TempDir
    private static Path folder;

    private static SluiceServer server;
    private static Neighbours neighbours;

    /** The three ports. */
    enum Port {
        KAFKA,
        PULSAR,
        HTTP;

        int of(SluiceServer server) {
            return switch (this) {
                case KAFKA -> server.ports().kafka();
                case PULSAR -> server.ports().pulsar();
                case HTTP -> server.ports().http();
            };
        }
    }

    @BeforeAll
    static void start() throws Exception {
        server = SluiceServer.start(folder.resolve("data"));
        neighbours = new Neighbours(server);
        neighbours.roundTrip();
    }

    @AfterAll
    static void stop() {
        neighbours.close();
        server.close();
    }

    @ParameterizedTest
    @EnumSource(Port.class)
    void randomBytesAndTruncatedFramesAndAbsurdLengths(Port port) throws Exception {
        var random = new Random(port.ordinal());
        long before = server.residentBytes();
        for (int n = 0; n < 300; n++) {
            send(port, garbage(random, n));
            if (n % 100 == 0) {
                neighbours.roundTrip();
            }
        }
        neighbours.roundTrip();
        assertMemoryComesBack(before);
        assertThat(server.output()).doesNotContain("Exception", "\tat ");
    }

    @ParameterizedTest
    @EnumSource(
            value = Port.class,
            names = {"KAFKA", "PULSAR"})
    void tenThousandHalfOpenConnections(Port port) throws Exception {
        long before = server.residentBytes();
        List<SocketChannel> open = new ArrayList<>();
        try {
            for (int n = 0; n < HALF_OPEN; n++) {
                SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port.of(server)));
                // A length that promises 1 MB, and nothing after it.
                channel.write(ByteBuffer.allocate(6)
                        .putInt(1 << 20)
                        .putShort((short) 0)
                        .flip());
                open.add(channel);
                if (n % 2_500 == 0) {
                    neighbours.roundTrip();
                }
            }
            neighbours.roundTrip();
        } finally {
            for (SocketChannel channel : open) {
                channel.close();
            }
        }
        neighbours.roundTrip();
        assertMemoryComesBack(before);
    }

    @Test
    void aRequestOfTheLargestSizeThatNeverArrivesHoldsNoMemory() throws Exception {
        long before = server.residentBytes();
        List<Socket> open = new ArrayList<>();
        for (int n = 0; n < 200; n++) {
            Socket socket = new Socket("127.0.0.1", server.ports().kafka());
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(4).putInt(60 << 20).array());
            open.add(socket);
        }
        neighbours.roundTrip();
        assertThat(server.residentBytes()).isLessThan(before + SLACK_BYTES);
        for (Socket socket : open) {
            socket.close();
        }
    }

    private static byte[] garbage(Random random, int n) {
        byte[] noise = new byte[random.nextInt(4_000) + 1];
        random.nextBytes(noise);
        return switch (n % 5) {
            case 0 -> noise;
            case 1 -> ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array();
            case 2 -> ByteBuffer.allocate(4).putInt(-1).array();
            // A frame that is cut short: it promises more than it has.
            case 3 ->
                ByteBuffer.allocate(4 + noise.length)
                        .putInt(noise.length + 100)
                        .put(noise)
                        .array();
            // A frame of the right length, full of noise.
            default ->
                ByteBuffer.allocate(4 + noise.length)
                        .putInt(noise.length)
                        .put(noise)
                        .array();
        };
    }

    private static void send(Port port, byte[] bytes) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port.of(server))) {
            socket.setSoTimeout(50);
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
            if (bytes.length % 2 == 0) {
                socket.shutdownOutput();
                socket.getInputStream().read();
            }
        } catch (java.net.SocketTimeoutException | java.net.SocketException e) {
            // The server may answer, wait for more, or cut the connection: each is right.
            assertThat(server.isAlive()).isTrue();
        }
    }

    private static void assertMemoryComesBack(long before) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(server.residentBytes()).isLessThan(before + SLACK_BYTES));
    }
}
