package io.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.sluice.server.Main;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.wiring.Listeners;
import io.sluice.server.wiring.Server;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What a server exposes after clients of both protocols have used it, against what the docs, dashboards and alerts say. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExposedMetricsTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "metrics.md");
    private static final Path CHART = Path.of("..", "..", "helm", "sluice");
    private static final Path OPERATIONS = Path.of("..", "..", "docs", "operations.md");
    private static final Pattern DOCUMENTED = Pattern.compile("`((?:sluice|disk)_[a-z_]+)`");
    private static final Pattern DESCRIBED = Pattern.compile("sluice_[a-z_]+");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?([a-zA-Z_]+)\\s*}}");

    /** What Prometheus adds to each. */
    private static final Set<String> OF_THE_TARGET = Set.of("instance", "job");

    private Scrape scrape = new Scrape();

    @BeforeAll
    void scrapeAServer(@TempDir Path folder) throws Exception {
        String ports = "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n";
        try (Server server =
                Server.standalone(ConfigFile.parse(ports, "test"), folder, new MemoryBudget(MemoryBudget.LEAST))) {
            Listeners listeners = server.listeners();
            use(listeners);
            var said = new StringWriter();
            int checked = Main.commandLine()
                    .setErr(new PrintWriter(said, true))
                    .execute(
                            "check",
                            "--bootstrap-server=" + listeners.kafka(),
                            "--pulsar-url=pulsar://" + listeners.pulsar(),
                            "--http-url=http://" + listeners.http());
            assertThat(checked).as(said.toString()).isZero();
            // Looked up in rounds of their own, and the check's topics come and go.
            await().atMost(Duration.ofSeconds(120)).untilAsserted(() -> {
                scrape = Scrape.of(listeners.http());
                assertThat(scrape.samples())
                        .as(() -> "the server's log: " + log(folder))
                        .contains(
                                "sluice_topics 1.0",
                                "sluice_kafka_groups 1.0",
                                "sluice_kafka_group_lag{group=\"readers\",topic=\"watched\"} 3.0",
                                "sluice_pulsar_subscriptions 1.0",
                                "sluice_pulsar_subscription_backlog{subscription=\"late\",topic=\"watched\"} 10.0",
                                "sluice_topic_end_offset{topic=\"watched\"} 10.0",
                                "sluice_topic_partitions{topic=\"watched\"} 2.0");
            });
        }
    }

    private static String log(Path folder) {
        try {
            return Files.readString(folder.resolve("logs/sluice.log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Ten records, of which a group has committed seven, and a subscription nothing. */
    private static void use(Listeners listeners) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", listeners.kafka());
        try (Admin admin = Admin.create(settings);
                var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            admin.createTopics(List.of(new NewTopic("watched", 2, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            for (int n = 0; n < 10; n++) {
                producer.send(new ProducerRecord<>("watched", n % 2, null, new byte[100]))
                        .get(30, TimeUnit.SECONDS);
            }
            var offsets = Map.of(
                    new TopicPartition("watched", 0), new OffsetAndMetadata(5),
                    new TopicPartition("watched", 1), new OffsetAndMetadata(2));
            admin.alterConsumerGroupOffsets("readers", offsets).all().get(30, TimeUnit.SECONDS);
        }
        URI subscription = URI.create(
                "http://" + listeners.http() + "/admin/v2/persistent/public/default/watched/subscription/late");
        try (HttpClient client = HttpClient.newHttpClient()) {
            var create = HttpRequest.newBuilder(subscription)
                    .PUT(BodyPublishers.ofString("{\"ledgerId\": -1, \"entryId\": -1}"))
                    .header("content-type", "application/json")
                    .build();
            assertThat(client.send(create, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(204);
        }
    }

    /** Run with {@code -Dsluice.docs.write=true} after changing a metric. */
    @Test
    void thePageSaysWhatIsExposed() throws Exception {
        String page = page();
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    private String page() {
        var page = new StringBuilder("""
                # Metrics

                `GET /metrics` answers with these, in Prometheus' text form. What to watch and what to do about it is in
                [operations.md](operations.md); dashboards for Grafana are in `helm/sluice/dashboards`, alerts in `helm/sluice/rules.yaml`.

                """);
        page.append("| metric | type | labels | what it is |\n|---|---|---|---|\n");
        scrape.families().forEach((name, family) -> {
            if (DESCRIBED.matcher(name).matches()) {
                String labels = family.labels().isEmpty() ? "" : "`" + String.join("`, `", family.labels()) + "`";
                page.append("| `%s` | %s | %s | %s |\n".formatted(name, family.type(), labels, family.description()));
            }
        });
        return page.append("""

                A summary has `_sum` and `_count`, a histogram `_bucket`, too. The label `container` is the number of a container, `api` the name of a
                request of Kafka's protocol, `call` one of put, read, size, delete and list.

                `jvm_*`, `process_*`, `system_*`, `disk_*` and `netty_allocator_*` are Micrometer's own: the JVM, the process, the machine, the
                disk of the data folder, and Netty's buffers.
                """).toString();
    }

    @Test
    void whatToWatchIsExposed() throws Exception {
        List<String> rows = Files.readAllLines(OPERATIONS).stream()
                .filter(line -> line.startsWith("| `"))
                .toList();
        List<String> watched = DOCUMENTED
                .matcher(String.join("\n", rows))
                .results()
                .map(name -> name.group(1))
                .toList();
        assertThat(watched).hasSizeGreaterThan(20).allMatch(name -> scrape.has(name) || scrape.has(name + "_count"));
    }

    @Test
    void everyMetricIsDescribed() {
        scrape.families().forEach((name, family) -> {
            if (DESCRIBED.matcher(name).matches()) {
                assertThat(family.description()).as(name).isNotBlank();
            }
        });
    }

    @Test
    void theDashboardsAskForWhatIsExposed() throws Exception {
        try (Stream<Path> dashboards = Files.list(CHART.resolve("dashboards"))) {
            List<Path> files = dashboards.sorted().toList();
            assertThat(files).hasSize(3);
            for (Path file : files) {
                JsonNode dashboard = new ObjectMapper().readTree(file.toFile());
                List<JsonNode> targets = dashboard.findValues("targets");
                assertThat(targets).as(file.toString()).isNotEmpty();
                for (JsonNode list : targets) {
                    list.forEach(target -> assertIsExposed(
                            target.get("expr").asText(),
                            target.get("legendFormat").asText()));
                }
            }
        }
    }

    @Test
    void theAlertsAskForWhatIsExposedAndSayWhatToDo() throws Exception {
        JsonNode rules = rules();
        assertThat(rules.size()).isPositive();
        for (JsonNode rule : rules) {
            JsonNode annotations = rule.get("annotations");
            assertThat(annotations.get("action").asText()).as(rule.toString()).isNotBlank();
            assertIsExposed(
                    rule.get("expr").asText(), annotations.get("summary").asText());
        }
    }

    private static JsonNode rules() throws IOException {
        var yaml = new ObjectMapper(new YAMLFactory());
        return yaml.readTree(CHART.resolve("rules.yaml").toFile()).at("/groups/0/rules");
    }

    private void assertIsExposed(String expression, String text) {
        PromQuery query = PromQuery.of(expression);
        assertThat(query.metrics()).as(expression).isNotEmpty();
        assertThat(query.rest()).as("words of %s", expression).isEmpty();
        Set<String> exposed = new TreeSet<>(OF_THE_TARGET);
        for (PromQuery.Asked asked : query.metrics()) {
            assertThat(scrape.has(asked.metric())).as(asked.metric()).isTrue();
            Set<String> labels = new TreeSet<>(scrape.labels(asked.metric()));
            labels.addAll(OF_THE_TARGET);
            assertThat(labels).as("labels of %s", asked.metric()).containsAll(asked.labels());
            exposed.addAll(labels);
        }
        assertThat(exposed).as(expression).containsAll(query.grouping());
        Set<String> shown = query.grouping().isEmpty() ? exposed : query.grouping();
        PLACEHOLDER
                .matcher(text)
                .results()
                .forEach(found ->
                        assertThat(shown).as("%s of '%s'", found.group(1), text).contains(found.group(1)));
    }
}
