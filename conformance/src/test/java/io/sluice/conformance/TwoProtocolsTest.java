package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.conformance.MixedTopic.Header;
import io.sluice.conformance.MixedTopic.KafkaView;
import io.sluice.conformance.MixedTopic.PulsarView;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * One topic, written by six clients and read by the same six: kafka-clients, librdkafka and franz-go; Pulsar's Java, C++ and Go clients.
 * Each reader gets all messages, of both protocols, in order and byte for byte, also after {@code kill -9}. {@link S3TierTest} has the
 * tier. An application moves between the protocols, another has both in its transactions.
 */
class TwoProtocolsTest {
    private static final String TOPIC = "both";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final int HISTORIES = Integer.getInteger("sluice.history.runs", 1);
    private static final long SEED = Long.getLong("sluice.history.seed", System.nanoTime());
    private static final int KILLS = 2;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private static Path folder;

    private static SluiceServer server;

    /** All messages in the order of the topic, as each protocol's readers see them. */
    private final List<KafkaView> inKafka = new ArrayList<>();

    private final List<PulsarView> inPulsar = new ArrayList<>();
    private final Set<Integer> fromPulsar = new HashSet<>();

    @BeforeAll
    static void start() {
        server = SluiceServer.start(folder.resolve("data"));
    }

    @AfterAll
    static void end() throws Exception {
        try (SluiceServer ended = server) {
            assertThat(ended.log()).doesNotContain(" ERROR ");
        }
    }

    @Test
    void everyClientReadsWhatEveryOtherWrote() throws Exception {
        writeAll();
        readAll("tail");
        MovedApplication.check(server);
        GroupsInPulsarsAdmin.check(server);
        TransactionsOfBoth.check(server);
        server.kill();
        server.start();
        readAll("killed");
    }

    @Test
    void bothReadWhatCompactionLeavesOfBoth() throws Exception {
        CompactedOfBoth compacted = CompactedOfBoth.write(server);
        compacted.check();
        server.kill();
        server.start();
        compacted.check();
    }

    @Test
    void bothReadTheSameHistoryWhateverIsKilled() throws Exception {
        for (int n = 0; n < HISTORIES; n++) {
            MixedHistory.play(server, SEED + n, KILLS);
        }
    }

    private void writeAll() throws Exception {
        MixedTopic contents = new MixedTopic(7);
        Path file = folder.resolve("contents.json");
        JSON.writeValue(file.toFile(), contents.json());
        String[] program = {"write", server.kafka(), server.pulsar(), TOPIC, file.toString()};
        ClientProgram.python("both.py", program);
        ClientProgram.go("both", program);
        expect(contents);
        expect(contents);
        MixedTopic ofJava = new MixedTopic(8);
        JavaOfBoth.write(server, TOPIC, ofJava);
        expect(ofJava);
    }

    private void expect(MixedTopic contents) {
        for (KafkaView each : contents.kafka()) {
            inKafka.add(each);
            inPulsar.add(each.inPulsar());
        }
        for (PulsarView each : contents.pulsar()) {
            fromPulsar.add(inKafka.size());
            inKafka.add(each.inKafka());
            inPulsar.add(each);
        }
    }

    private void readAll(String run) throws Exception {
        String[] program = {"read", server.kafka(), server.pulsar(), TOPIC, "" + inKafka.size(), run};
        Map<String, List<JsonNode>> read = new HashMap<>();
        for (List<String> command :
                List.of(ClientProgram.pythonCommand("both.py", program), ClientProgram.goCommand("both", program))) {
            for (String line : ClientProgram.run(folder, 120, command).lines().toList()) {
                if (line.startsWith("{")) {
                    JsonNode message = JSON.readTree(line);
                    read.computeIfAbsent(message.get("client").asText(), _ -> new ArrayList<>())
                            .add(message);
                }
            }
        }
        for (String client : List.of("librdkafka", "franz-go")) {
            assertKafkaReader(read.getOrDefault(client, List.of()).stream()
                    .map(TwoProtocolsTest::kafkaView)
                    .toList());
        }
        assertKafkaReader(JavaOfBoth.readKafka(server, TOPIC, inKafka.size()));
        for (String client : List.of("cpp", "go")) {
            // what these clients do not tell apart; a message that was given back comes later
            assertThat(read.getOrDefault(client, List.of()).stream().map(TwoProtocolsTest::pulsarView))
                    .containsExactlyInAnyOrderElementsOf(
                            inPulsar.stream().map(PulsarView::withoutNulls).toList());
        }
        assertThat(JavaOfBoth.readPulsar(server, TOPIC, run, inPulsar.size())).isEqualTo(inPulsar);
        assertAcknowledged(run);
    }

    private void assertKafkaReader(List<KafkaView> read) {
        assertThat(read).hasSameSizeAs(inKafka);
        for (int n = 0; n < read.size(); n++) {
            KafkaView seen = fromPulsar.contains(n) ? read.get(n).ofPulsar() : read.get(n);
            assertThat(seen).as("offset %d", n).isEqualTo(inKafka.get(n));
        }
    }

    private static KafkaView kafkaView(JsonNode message) {
        List<Header> headers = new ArrayList<>();
        for (JsonNode pair : message.get("headers")) {
            headers.add(new Header(pair.get(0).asText(), pair.get(1).textValue()));
        }
        return new KafkaView(
                message.get("key").textValue(), message.get("value").textValue(), headers);
    }

    private static PulsarView pulsarView(JsonNode message) {
        Map<String, String> properties = new HashMap<>();
        message.get("properties")
                .fields()
                .forEachRemaining(
                        each -> properties.put(each.getKey(), each.getValue().asText()));
        return new PulsarView(
                        message.get("key").textValue(), message.get("value").textValue(), properties)
                .withoutNulls();
    }

    /** Single acknowledgements, in batches of both protocols. */
    private static void assertAcknowledged(String run) throws Exception {
        try (PulsarAdmin admin =
                PulsarAdmin.builder().serviceHttpUrl(server.http()).build()) {
            await().untilAsserted(() -> assertThat(
                            admin.topics().getPartitionedStats(TOPIC, false).getSubscriptions())
                    .extractingByKeys("cpp-" + run, "go-" + run, "java-" + run)
                    .allSatisfy(subscription ->
                            assertThat(subscription.getMsgBacklog()).isZero()));
        }
    }
}
