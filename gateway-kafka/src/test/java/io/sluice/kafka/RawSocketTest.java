package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.kafka.connection.ConnectionLimits;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What arrives on the wire, byte by byte. */
class RawSocketTest {
    private static final ConnectionLimits SMALL = new ConnectionLimits(
            50, 1 << 20, 4, 4 << 20, Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofSeconds(60));

    @SuppressWarnings("NullAway.Init") // each test starts its own
    private TestGateway server;

    private final List<Socket> sockets = new ArrayList<>();

    private void start(ConnectionLimits limits) throws GatewayStartException {
        server = new TestGateway(limits);
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        await().until(() -> server.gateway.requestMemoryUsed() == 0);
        server.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", server.port);
        socket.setSoTimeout(20_000);
        sockets.add(socket);
        return socket;
    }

    private static ByteBuffer answer(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static boolean closedByServer(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true; // reset
        }
    }

    private void assertServes() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            producer.send(new ProducerRecord<>("alive", new byte[10])).get();
        }
    }

    private double bytesIn() {
        return server.registry.get("sluice.kafka.bytes.in").counter().count();
    }

    private static final MetadataRequestData NO_TOPICS = new MetadataRequestData().setTopics(List.of());

    @Test
    void answersAnUnknownVersionOfApiVersionsInVersionZero() throws Exception {
        start(ConnectionLimits.defaults());
        Socket socket = connect();
        byte[] frame = RawClient.frame(ApiKeys.API_VERSIONS, 3, 7, new ApiVersionsRequestData());
        frame[7] = 99;
        socket.getOutputStream().write(frame);
        ByteBuffer answer = answer(socket);
        assertThat(answer.getInt()).isEqualTo(7);
        ApiVersionsResponseData versions = new ApiVersionsResponseData(new ByteBufferAccessor(answer), (short) 0);
        assertThat(versions.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
        assertThat(versions.apiKeys().find(ApiKeys.API_VERSIONS.id).maxVersion())
                .isEqualTo((short) 5);
    }

    @Test
    void listsProduceFromVersionZeroButClosesOnIt() throws Exception {
        start(ConnectionLimits.defaults());
        Socket socket = connect();
        socket.getOutputStream().write(RawClient.frame(ApiKeys.API_VERSIONS, 0, 1, new ApiVersionsRequestData()));
        ByteBuffer answer = answer(socket);
        answer.getInt();
        ApiVersionsResponseData versions = new ApiVersionsResponseData(new ByteBufferAccessor(answer), (short) 0);
        assertThat(versions.apiKeys().find(ApiKeys.PRODUCE.id).minVersion()).isZero();
        assertThat(versions.apiKeys().find(ApiKeys.SASL_HANDSHAKE.id)).isNull();

        ByteBuffer produce = ByteBuffer.allocate(24);
        produce.putInt(20).putShort((short) 0).putShort((short) 2).putInt(1).putShort((short) -1);
        socket.getOutputStream().write(produce.array());
        assertThat(closedByServer(socket)).isTrue();
    }

    @Test
    void answersInTheOrderOfTheRequests() throws Exception {
        start(ConnectionLimits.defaults());
        server.broker.createTopic("t", 1);
        Socket socket = connect();
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        // A fetch that waits 300 ms, and requests behind it that could be answered at once.
        FetchRequestData fetch =
                new FetchRequestData().setMaxWaitMs(300).setMinBytes(1).setSessionEpoch(-1);
        fetch.topics()
                .add(new FetchRequestData.FetchTopic()
                        .setTopic("t")
                        .setPartitions(List.of(new FetchRequestData.FetchPartition()
                                .setPartition(0)
                                .setPartitionMaxBytes(1000))));
        for (int i = 0; i < 200; i++) {
            out.write(
                    i % 50 == 0
                            ? RawClient.frame(ApiKeys.FETCH, 11, i, fetch)
                            : RawClient.frame(ApiKeys.METADATA, 12, i, NO_TOPICS));
        }
        out.flush();
        for (int i = 0; i < 200; i++) {
            assertThat(answer(socket).getInt()).isEqualTo(i);
        }
    }

    @Test
    void takesARequestByteByByteAndManyInOnePiece() throws Exception {
        start(ConnectionLimits.defaults());
        Socket socket = connect();
        socket.setTcpNoDelay(true);
        for (byte b : RawClient.frame(ApiKeys.METADATA, 9, 5, NO_TOPICS)) {
            socket.getOutputStream().write(b);
            socket.getOutputStream().flush();
        }
        ByteBuffer answer = answer(socket);
        assertThat(answer.getInt()).isEqualTo(5);
        answer.get(); // no tagged fields in the header
        MetadataResponseData metadata = new MetadataResponseData(new ByteBufferAccessor(answer), (short) 9);
        assertThat(metadata.brokers().find(1).port()).isEqualTo(server.port);
    }

    @Test
    void closesOnLengthsThatCannotBe() throws Exception {
        start(SMALL);
        for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, (1 << 20) + 1, 0, 3}) {
            Socket socket = connect();
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(length);
            out.write(new byte[16]);
            assertThat(closedByServer(socket)).as("length %d", length).isTrue();
        }
        assertServes();
    }

    @Test
    void closesOnGarbageAndServesTheOthers() throws Exception {
        start(ConnectionLimits.defaults());
        Random random = new Random(42);
        for (int i = 0; i < 300; i++) {
            Socket socket = connect();
            byte[] bytes = new byte[random.nextInt(2000) + 20];
            random.nextBytes(bytes);
            if (i % 3 != 0) { // a right length, and a plausible head, before the garbage
                ByteBuffer.wrap(bytes)
                        .putInt(bytes.length - 4)
                        .putShort((short) random.nextInt(76))
                        .putShort((short) random.nextInt(14));
            }
            try {
                socket.getOutputStream().write(bytes);
            } catch (SocketException e) {
                // already closed by the server: as it should be
            }
            socket.close();
        }
        assertServes();
    }

    @Test
    void closesTruncatedRequestsOnlyWithTheirConnection() throws Exception {
        start(ConnectionLimits.defaults());
        byte[] whole = RawClient.frame(ApiKeys.METADATA, 12, 1, NO_TOPICS);
        for (int cut = 1; cut < whole.length; cut++) {
            Socket socket = connect();
            socket.getOutputStream().write(whole, 0, cut);
            socket.close();
        }
        assertServes();
    }

    @Test
    void closesConnectionsOverTheLimit() throws Exception {
        start(SMALL);
        List<Socket> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(connect());
        }
        await().until(() ->
                server.registry.get("sluice.kafka.connections").gauge().value() == 50);
        assertThat(closedByServer(connect())).isTrue();
        for (Socket socket : all) {
            socket.close();
        }
        await().until(() ->
                server.registry.get("sluice.kafka.connections").gauge().value() == 0);
        assertServes();
    }

    @Test
    void closesIdleAndStalledConnections() throws Exception {
        start(SMALL);
        Socket idle = connect();
        Socket stalled = connect();
        stalled.getOutputStream().write(new byte[] {0, 0, 1, 0, 42});
        assertThat(closedByServer(idle)).isTrue();
        assertThat(closedByServer(stalled)).isTrue();
    }

    /** A producer's requests come in pieces, too; they must not wait behind those that never end. */
    @Test
    void halfArrivedRequestsCostWhatArrivedAndBlockNobody() throws Exception {
        start(new ConnectionLimits(
                5000, 1 << 20, 4, 4 << 20, Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(60)));
        try (RawClient neighbour = new RawClient(server.port)) {
            neighbour.call(ApiKeys.METADATA, (short) 12, NO_TOPICS);
            byte[] part = new byte[40_000];
            ByteBuffer.wrap(part).putInt(1 << 20);
            for (int i = 0; i < 200; i++) { // 8 MB of requests that never end, twice the memory
                Socket socket = connect();
                socket.getOutputStream().write(RawClient.frame(ApiKeys.METADATA, 12, 1, NO_TOPICS));
                try {
                    socket.getOutputStream().write(part);
                } catch (SocketException e) {
                    // its memory was wanted
                }
            }
            await().until(() -> server.gateway.requestMemoryUsed() > 400_000);
            List<String> names = IntStream.range(0, 1_000)
                    .mapToObj(i -> "a-name-of-a-topic-" + i)
                    .toList();
            MetadataRequestData inPieces = new MetadataRequestData()
                    .setAllowAutoTopicCreation(false)
                    .setTopics(names.stream()
                            .map(name -> new MetadataRequestData.MetadataRequestTopic().setName(name))
                            .toList());
            for (int i = 0; i < 20; i++) {
                double before = bytesIn();
                neighbour.call(ApiKeys.METADATA, (short) 12, inPieces, () -> await().until(() -> bytesIn() > before));
                assertThat(server.gateway.requestMemoryUsed()).isLessThan(4 << 20);
            }
        }
        assertServes();
    }

    @Test
    void closesWhenHalfArrivedRequestsAreAllThereIs() throws Exception {
        start(new ConnectionLimits(
                5000, 1 << 20, 4, 2 << 20, Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(60)));
        byte[] part = new byte[500_000];
        ByteBuffer.wrap(part).putInt(1 << 20);
        for (int i = 0; i < 20; i++) { // 10 MB against 2 MiB
            try {
                connect().getOutputStream().write(part);
            } catch (SocketException e) {
                // refused while it was being sent
            }
        }
        await().until(() ->
                server.registry.get("sluice.kafka.requests.bad").counter().count() > 5);
        assertThat(server.gateway.requestMemoryUsed()).isLessThan(2 << 20);
        assertServes();
    }

    @Test
    void stopsReadingAClientThatDoesNotReadItsAnswers() throws Exception {
        start(SMALL);
        server.broker.createTopic("wide", 2000);
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(64 << 10);
        socket.connect(new InetSocketAddress("127.0.0.1", server.port));
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        byte[] all = RawClient.frame(ApiKeys.METADATA, 12, 1, new MetadataRequestData().setTopics(null));
        Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 20_000; i++) {
                    out.write(all);
                }
            } catch (IOException e) {
                // closed at the end of the test
            }
        });
        // 20,000 answers of 70 KB would be 1.4 GB; what leaves for the sockets' buffers comes to a stop far below.
        double[] last = {-1};
        await().pollInterval(Duration.ofSeconds(1)).until(() -> {
            double now = server.registry.get("sluice.kafka.bytes.out").counter().count();
            boolean still = now == last[0] && now > 0;
            last[0] = now;
            return still;
        });
        assertThat(last[0]).isLessThan(10e6);
        assertServes();
    }

    @Test
    void saysInOneLineThatThePortIsTaken() throws Exception {
        start(ConnectionLimits.defaults());
        KafkaGatewayConfig taken = KafkaGatewayConfig.local(server.port);
        KafkaGateway second = new KafkaGateway(
                taken,
                new io.sluice.kafka.api.KafkaServices(
                        server.broker.catalogue(),
                        server.broker.partitions(),
                        () -> 1L,
                        Runnable::run,
                        () -> 1L,
                        new SingleNode("c", 1)),
                List.of(),
                new SimpleMeterRegistry());
        org.assertj.core.api.Assertions.assertThatThrownBy(second::start)
                .isInstanceOf(GatewayStartException.class)
                .hasMessageContaining("127.0.0.1:" + server.port)
                .hasMessageContaining("in use")
                .hasMessageNotContaining("\n");
    }
}
