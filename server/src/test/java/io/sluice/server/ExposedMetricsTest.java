package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What a server exposes after clients of both protocols have used it, against what the docs, dashboards and alerts say. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExposedMetricsTest {
    private static final Path PAGE = Path.of("..", "docs", "metrics.md");
    private static final Path CHART = Path.of("..", "helm", "sluice");
    private static final Pattern DESCRIBED = Pattern.compile("sluice_[a-z_]+");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?([a-zA-Z_]+)\\s*}}");

    /** What Prometheus adds to each. */
    private static final Set<String> OF_THE_TARGET = Set.of("instance", "job");

    private Scrape scrape = new Scrape();

    @BeforeAll
    void scrapeAServer(@TempDir Path folder) throws Exception {
        String ports = "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n";
        try (Standalone server =
                Standalone.start(ConfigFile.parse(ports, "test"), folder, new MemoryBudget(MemoryBudget.LEAST))) {
            Listeners listeners = server.listeners();
            int checked = Main.commandLine()
                    .execute(
                            "check",
                            "--bootstrap-server=" + listeners.kafka(),
                            "--pulsar-url=pulsar://" + listeners.pulsar(),
                            "--http-url=http://" + listeners.http());
            assertThat(checked).isZero();
            scrape = Scrape.of(listeners.http());
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
