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

/** Readers of one topic: kafka-clients, librdkafka and franz-go; Pulsar's Java, C++ and Go clients. And what each has to find. */
final class SixReaders {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SECONDS = 120;

    private final SluiceServer server;
    private final Path folder;
    private final String topic;
    /** All messages in the order of the topic, as each protocol's readers see them. */
    private final List<KafkaView> inKafka = new ArrayList<>();

    private final List<PulsarView> inPulsar = new ArrayList<>();
    private final Set<Integer> fromPulsar = new HashSet<>();

    SixReaders(SluiceServer server, Path folder, String topic) {
        this.server = server;
        this.folder = folder;
        this.topic = topic;
    }

    /** The next message of the topic. */
    void expect(boolean byKafka, KafkaView seenByKafka, PulsarView seenByPulsar) {
        if (!byKafka) {
            fromPulsar.add(inKafka.size());
        }
        inKafka.add(seenByKafka);
        inPulsar.add(seenByPulsar);
    }

    /** @param run names new groups and subscriptions */
    void check(String run) throws Exception {
        Map<String, List<JsonNode>> read = read("read", run);
        checkKafka(read);
        for (String client : List.of("cpp", "go")) {
            // what these clients do not tell apart; a message that was given back comes later
            assertThat(read.getOrDefault(client, List.of()).stream().map(SixReaders::pulsarView))
                    .containsExactlyInAnyOrderElementsOf(
                            inPulsar.stream().map(PulsarView::withoutNulls).toList());
        }
        assertThat(JavaOfBoth.readPulsar(server, topic, run, inPulsar.size())).isEqualTo(inPulsar);
        assertAcknowledged(run);
    }

    /** As {@link #check}, by those three that are Kafka's. */
    void checkKafka(String run) throws Exception {
        checkKafka(read("read-kafka", run));
    }

    private void checkKafka(Map<String, List<JsonNode>> read) {
        for (String client : List.of("librdkafka", "franz-go")) {
            assertKafkaReader(read.getOrDefault(client, List.of()).stream()
                    .map(SixReaders::kafkaView)
                    .toList());
        }
        assertKafkaReader(JavaOfBoth.readKafka(server, topic, inKafka.size()));
    }

    /** By client, what it reads. */
    private Map<String, List<JsonNode>> read(String what, String run) throws Exception {
        String[] program = {what, server.kafka(), server.pulsar(), topic, "" + inKafka.size(), run};
        Map<String, List<JsonNode>> read = new HashMap<>();
        for (List<String> command :
                List.of(ClientProgram.pythonCommand("both.py", program), ClientProgram.goCommand("both", program))) {
            for (String line :
                    ClientProgram.run(folder, SECONDS, command).lines().toList()) {
                if (line.startsWith("{")) {
                    JsonNode message = JSON.readTree(line);
                    read.computeIfAbsent(message.get("client").asText(), _ -> new ArrayList<>())
                            .add(message);
                }
            }
        }
        return read;
    }

    private void assertKafkaReader(List<KafkaView> read) {
        assertThat(read).hasSameSizeAs(inKafka);
        for (int n = 0; n < read.size(); n++) {
            KafkaView seen = fromPulsar.contains(n) ? read.get(n).ofPulsar() : read.get(n);
            assertThat(seen).as("message %d", n).isEqualTo(inKafka.get(n));
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
    private void assertAcknowledged(String run) throws Exception {
        try (PulsarAdmin admin =
                PulsarAdmin.builder().serviceHttpUrl(server.http()).build()) {
            await().untilAsserted(() -> assertThat(
                            admin.topics().getPartitionedStats(topic, false).getSubscriptions())
                    .extractingByKeys("cpp-" + run, "go-" + run, "java-" + run)
                    .allSatisfy(subscription ->
                            assertThat(subscription.getMsgBacklog()).isZero()));
        }
    }
}
