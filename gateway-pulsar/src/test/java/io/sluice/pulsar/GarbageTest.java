package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.wire.Replies;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a stranger on the socket can do: nothing but lose his connection. */
@Timeout(90)
class GarbageTest {
    /** The tag of {@code BaseCommand.topicMigrated}, field 68, with a length behind it. */
    private static final byte[] LAST_NESTED_COMMAND = {(byte) 0xa2, 4};

    private static final byte[] ENDLESS_VARINT = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

    private TestGateway gateway;

    @BeforeEach
    void start() {
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
                shortTimes(c.limits())));
    }

    private static Limits shortTimes(Limits l) {
        return new Limits(
                l.maxMessageBytes(),
                l.publishBytes(),
                l.pendingSends(),
                l.outboundBytes(),
                l.unackedMessages(),
                l.unackedOfSubscription(),
                l.lookAhead(),
                l.connections(),
                Duration.ofMillis(500),
                Duration.ofMillis(400),
                l.streamGrace(),
                l.quotaChecks(),
                l.inactivityChecks());
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", gateway.port());
        socket.setSoTimeout(30_000);
        return socket;
    }

    /** True when the server closes the connection within ten seconds. */
    private static boolean isClosed(Socket socket) {
        try {
            InputStream in = socket.getInputStream();
            while (in.read() >= 0) {
                // what it says before it closes does not matter
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void write(Socket socket, byte[] bytes) {
        try {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            // closed already: that is what the test is about
        }
    }

    private static byte[] frame(ByteBuf frame) {
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        return bytes;
    }

    private static byte[] connectFrame() {
        return frame(Commands.newConnect("none", "", "test"));
    }

    @Test
    void randomBytesCloseTheConnection() throws Exception {
        Random random = new Random(42);
        for (int i = 0; i < 200; i++) {
            try (Socket socket = connect()) {
                byte[] junk = new byte[1 + random.nextInt(5000)];
                random.nextBytes(junk);
                write(socket, junk);
                socket.shutdownOutput();
                assertThat(isClosed(socket)).isTrue();
            }
        }
        assertStillServes();
    }

    @Test
    void absurdLengthsCloseTheConnection() throws Exception {
        for (int length : new int[] {Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 0, 3, 64 * 1024 * 1024}) {
            try (Socket socket = connect()) {
                write(socket, ByteBuffer.allocate(4).putInt(length).array());
                assertThat(isClosed(socket)).isTrue();
            }
            try (Socket socket = connect()) {
                write(socket, connectFrame());
                write(socket, ByteBuffer.allocate(4).putInt(length).array());
                assertThat(isClosed(socket)).isTrue();
            }
        }
        assertStillServes();
    }

    @Test
    void commandsBeforeConnectAndBrokenCommandsCloseTheConnection() throws Exception {
        try (Socket socket = connect()) {
            write(socket, frame(Replies.ping()));
            assertThat(isClosed(socket)).isTrue();
        }
        Random random = new Random(7);
        for (int i = 0; i < 100; i++) {
            try (Socket socket = connect()) {
                write(socket, connectFrame());
                int size = 1 + random.nextInt(200);
                byte[] command = new byte[size];
                random.nextBytes(command);
                write(
                        socket,
                        ByteBuffer.allocate(8 + size)
                                .putInt(4 + size)
                                .putInt(size)
                                .put(command)
                                .array());
                socket.shutdownOutput();
                assertThat(isClosed(socket)).isTrue();
            }
        }
        assertStillServes();
    }

    /** Each loop has one parser for all its connections; on each of them a nested command breaks off before its length. */
    @Test
    void aCommandThatBreaksOffSpoilsNoOther() throws Exception {
        for (int i = 0; i < 64; i++) {
            try (Socket socket = connect()) {
                write(socket, connectFrame());
                ByteBuffer frame = ByteBuffer.allocate(32);
                frame.putInt(0).putInt(0).put((byte) 8).put((byte) BaseCommand.Type.TOPIC_MIGRATED.getValue());
                frame.put(LAST_NESTED_COMMAND).put(ENDLESS_VARINT);
                frame.putInt(0, frame.position() - 4).putInt(4, frame.position() - 8);
                write(socket, Arrays.copyOf(frame.array(), frame.position()));
                socket.shutdownOutput();
                assertThat(isClosed(socket)).isTrue();
            }
        }
        assertStillServes();
    }

    @Test
    void anIdleStrangerIsDroppedAndASilentClientToo() throws Exception {
        try (Socket stranger = connect();
                Socket silent = connect()) {
            write(silent, connectFrame());
            assertThat(isClosed(stranger)).isTrue();
            assertThat(isClosed(silent)).isTrue();
        }
        assertStillServes();
    }

    @Test
    void halfOpenConnectionsCostLittleAndGoAway() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 500; i++) {
                Socket s = connect();
                write(s, ByteBuffer.allocate(6).putInt(60_000).array());
                sockets.add(s);
            }
            assertStillServes();
            await().until(() -> isClosed(sockets.getLast()));
        } finally {
            for (Socket s : sockets) {
                s.close();
            }
        }
    }

    private void assertStillServes() throws Exception {
        try (PulsarClient client = gateway.client();
                Producer<byte[]> producer = client.newProducer().topic("t").create();
                Consumer<byte[]> consumer =
                        client.newConsumer().topic("t").subscriptionName("s").subscribe()) {
            producer.send(new byte[] {1});
            assertThat(consumer.receive(30, TimeUnit.SECONDS)).isNotNull();
        }
    }
}
