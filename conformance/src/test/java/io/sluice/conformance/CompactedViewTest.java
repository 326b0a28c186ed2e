package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.LongRunningProcessStatus.Status;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.TableView;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is compacted outlives the log's beginning and a kill of the server; compaction starts by itself above a threshold. */
class CompactedViewTest {
    private static final String TOPIC = "persistent://public/default/compacted";
    private static final int KEYS = 20;
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void theNewestOfEachKeyStaysWhenTheLogAndTheServerHaveGone() throws Exception {
        try (SluiceServer server = SluiceServer.start(
                folder.resolve("data"), "topics: {retentionCheckMillis: 200, compactionCheckMillis: 200}", Map.of())) {
            Map<String, String> newest = new HashMap<>();
            try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                    PulsarAdmin admin =
                            PulsarAdmin.builder().serviceHttpUrl(server.http()).build()) {
                admin.topics().createNonPartitionedTopic(TOPIC);
                admin.topicPolicies().setCompactionThreshold(TOPIC, 1_000);
                send(client, 0, 2_000, newest);
                await().atMost(SOON).until(() -> admin.topics().compactionStatus(TOPIC).status == Status.SUCCESS);
                admin.topicPolicies().setRetention(TOPIC, new RetentionPolicies(0, 0));
                send(client, 2_000, 2_500, newest);
                await().atMost(SOON).until(() -> {
                    compact(admin);
                    return isEmpty(client);
                });
                assertThat(last(compacted(client))).isEqualTo(newest);
            }
            server.kill();
            server.start();
            try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                    PulsarAdmin admin =
                            PulsarAdmin.builder().serviceHttpUrl(server.http()).build();
                    TableView<String> table =
                            client.newTableView(Schema.STRING).topic(TOPIC).create()) {
                assertThat(compacted(client)).hasSize(KEYS);
                assertThat(last(compacted(client))).isEqualTo(newest);
                send(client, 2_500, 2_510, newest);
                await().atMost(SOON)
                        .untilAsserted(
                                () -> assertThat(Map.copyOf(contentOf(table))).isEqualTo(newest));
                assertThat(admin.topics().getSubscriptions(TOPIC)).contains("__compaction");
            }
        }
    }

    /** What has come last may be less than the threshold. */
    private static void compact(PulsarAdmin admin) throws PulsarAdminException {
        try {
            admin.topics().triggerCompaction(TOPIC);
        } catch (PulsarAdminException.ConflictException e) {
            // it is under way
        }
    }

    private static void send(PulsarClient client, int from, int to, Map<String, String> newest) throws Exception {
        try (Producer<String> producer =
                client.newProducer(Schema.STRING).topic(TOPIC).create()) {
            for (int n = from; n < to; n++) {
                String key = "k" + n % KEYS;
                producer.newMessage().key(key).value("v" + n).sendAsync();
                newest.put(key, "v" + n);
            }
            producer.flush();
        }
    }

    /**
     * True if all of the log has gone. It asks a new reader each time and reads nothing: a reader below which retention
     * cuts the log waits for a last message that has gone, as its client asks for that message's id only once.
     */
    private static boolean isEmpty(PulsarClient client) throws Exception {
        try (Reader<String> reader = reader(client, false)) {
            return !reader.hasMessageAvailable();
        }
    }

    private static List<Message<String>> compacted(PulsarClient client) throws Exception {
        List<Message<String>> all = new ArrayList<>();
        try (Reader<String> reader = reader(client, true)) {
            while (reader.hasMessageAvailable()) {
                Message<String> message = reader.readNext(30, TimeUnit.SECONDS);
                assertThat(message).as("after %d messages", all.size()).isNotNull();
                all.add(message);
            }
        }
        return all;
    }

    private static Reader<String> reader(PulsarClient client, boolean compacted) throws Exception {
        return client.newReader(Schema.STRING)
                .topic(TOPIC)
                .readCompacted(compacted)
                .startMessageId(MessageId.earliest)
                .create();
    }

    private static Map<String, String> last(List<Message<String>> messages) {
        Map<String, String> last = new HashMap<>();
        messages.forEach(m -> last.put(m.getKey(), m.getValue()));
        return last;
    }

    private static Map<String, String> contentOf(TableView<String> table) {
        Map<String, String> content = new HashMap<>();
        table.forEach(content::put);
        return content;
    }
}
