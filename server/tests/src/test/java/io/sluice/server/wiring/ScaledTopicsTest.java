package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.server.Main;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server splits a topic by itself, and {@code sluice topics describe} shows what it did. */
class ScaledTopicsTest {
    private static final String CONFIG = "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n"
            + "store: {containers: 2}\nbalance: {enabled: false, checkMillis: 100}\n";

    @TempDir
    private Path folder;

    private volatile boolean stop;

    @Test
    void anElasticTopicIsShownWithItsRunsAndWhyTheyWereSplit() throws Exception {
        try (Server server = start()) {
            Map<String, Object> settings =
                    Map.of("bootstrap.servers", server.listeners().kafka());
            try (Admin admin = Admin.create(settings)) {
                admin.createTopics(List.of(new NewTopic("orders", 64, (short) 1)
                                .configs(Map.of("sluice.elastic", "true", "sluice.scaling.events.per.second", "100"))))
                        .all()
                        .get();
            }
            try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
                Thread load = Thread.ofVirtual().start(() -> write(producer));
                await().atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(500))
                        .until(() -> describe(server, "orders").contains("splits partitions "));
                stop = true;
                load.join();
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> describe(server, "orders").matches("(?s).*\n +0-\\d+ +\\d .*\n +\\d+-63 +\\d .*"));
            assertThat(describe(server, "orders"))
                    .contains("Splits and merges, newest first", " s ago splits partitions 0-63: ")
                    .containsPattern(
                            " go from container \\d to \\d: \\d+ events/s in \\(limit 100\\): more than it may do");
            assertThat(get(server, "/sluice/balance"))
                    .contains("\"kind\":\"split\"", "\"done\":true", "persistent://public/default/orders");
            assertThat(get(server, "/sluice/topics/graph?topic=orders"))
                    .contains("<title>partitions 0-63 in container ")
                    .containsPattern("<title>partitions \\d+-63 in container \\d<");
            assertThat(get(server, "/metrics")).contains("sluice_scaling_splits_total 1.0");
        }
    }

    private void write(KafkaProducer<String, String> producer) {
        for (int i = 0; !stop; i++) {
            producer.send(new ProducerRecord<>("orders", "key" + i % 997, "v"));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @Test
    void aScalableTopicIsShownWithItsSegments() throws Exception {
        try (Server server = start()) {
            ask(server, "PUT", "/admin/v2/scalable/public/default/s?numInitialSegments=2");
            ask(server, "POST", "/admin/v2/scalable/public/default/s/split/1");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> describe(server, "topic://public/default/s")
                            .matches("(?s).*\n +3 c000-ffff active +\\d +0 +0 +0 +0 +1\n"));
            assertThat(describe(server, "topic://public/default/s"))
                    .startsWith("Topic   topic://public/default/s\nEpoch   1\n")
                    .containsPattern("\n +0 0000-7fff active +\\d ")
                    .containsPattern("\n +1 8000-ffff sealed +- ")
                    .containsPattern("\n +2 8000-bfff active +\\d .* 1\n");
            assertThat(get(server, "/sluice/topics/graph?topic=topic://public/default/s"))
                    .startsWith("<svg ")
                    .contains("<title>segment 8000-ffff-1</title>", "<title>segment c000-ffff-3</title>");
            assertThat(get(server, "/sluice/topics/graph?topic=topic://public/default/s&seconds=x"))
                    .contains("\"reason\":\"parameter seconds is 'x'");
            assertThat(describe(server, "topic://public/default/none"))
                    .contains("there is no topic topic://public/default/none");
            assertThat(describe(server, "topic://s/none")).startsWith("sluice: ");
        }
    }

    private static void ask(Server server, String method, String page) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(
                            URI.create("http://" + server.listeners().http() + page))
                    .method(method, BodyPublishers.noBody())
                    .build();
            assertThat(client.send(request, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(204);
        }
    }

    private static String get(Server server, String page) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(
                            URI.create("http://" + server.listeners().http() + page))
                    .build();
            return client.send(request, BodyHandlers.ofString()).body();
        }
    }

    /** What the command prints, or why not. */
    private static String describe(Server server, String topic) {
        StringWriter out = new StringWriter();
        Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(out, true))
                .execute(
                        "topics",
                        "describe",
                        topic,
                        "--http-url",
                        "http://" + server.listeners().http());
        return out.toString();
    }

    private Server start() throws Exception {
        return Server.standalone(
                ConfigFile.parse(CONFIG, "test"), folder.resolve("data"), new MemoryBudget(MemoryBudget.LEAST));
    }
}
