package io.sluice.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.Main;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.wiring.Server;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TopicsCommandTest {
    private static final String FREE_PORTS =
            "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\nstore: {containers: 2}\n";

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void showsATopicAndMovesItsPartitions() throws Exception {
        try (Server server = start()) {
            write(server, 2, "one", "two", "three");
            assertThat(run(server, "describe", "orders")).as(err.toString()).isZero();
            assertThat(out.toString()).contains("persistent://public/default/orders");
            assertThat(rows()).hasSize(2).first().asString().matches("0 ([01]) 1 0 3 \\d+ \\1/\\d+");
            int other = 1 - Integer.parseInt(rows().getFirst().split(" ")[1]);
            String to = String.valueOf(other);
            assertThat(run(server, "move", "persistent://public/default/orders", "--partition", "0", "--container", to))
                    .as(err.toString())
                    .isZero();
            assertThat(rows()).first().asString().matches("0 " + to + " 2 0 3 \\d+ \\d/\\d+ " + to + "/\\d+");
            write(server, 2, "four");
            assertThat(run(server, "describe", "orders")).isZero();
            assertThat(rows()).first().asString().matches("0 " + to + " 2 0 4 .*");
        }
    }

    @Test
    void saysInOneLineWhatCannotBe() throws Exception {
        try (Server server = start()) {
            write(server, 1, "one");
            refused(server, "there is no topic nothing", "describe", "nothing");
            refused(server, "other://a/b/c", "describe", "other://a/b/c");
            refused(server, "there is no container 7", "move", "orders", "--partition", "0", "--container", "7");
            refused(server, "has no partition 5", "move", "orders", "--partition", "5", "--container", "0");
            refused(server, "expected is http://HOST:PORT", "describe", "orders", "--http-url", "orders");
            refused(server, "cannot ask http://127.0.0.1:1", "describe", "orders", "--http-url", "http://127.0.0.1:1");
            refused(server, "Missing required option", "move", "orders", "--partition", "0");
        }
    }

    private void refused(Server server, String reason, String... arguments) {
        assertThat(run(server, arguments)).isEqualTo(1);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("sluice: ")
                .contains(reason);
    }

    private List<String> rows() {
        return out.toString()
                .lines()
                .map(line -> line.trim().replaceAll(" +", " "))
                .filter(line -> line.matches("\\d+ .*"))
                .toList();
    }

    private int run(Server server, String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        List<String> all = new ArrayList<>(List.of("topics"));
        all.addAll(Arrays.asList(arguments));
        if (!all.contains("--http-url")) {
            all.addAll(List.of("--http-url", "http://" + server.listeners().http()));
        }
        return line.execute(all.toArray(String[]::new));
    }

    private static void write(Server server, int partitions, String... values) throws Exception {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", server.listeners().kafka());
        try (Admin admin = Admin.create(settings)) {
            if (!admin.listTopics().names().get().contains("orders")) {
                admin.createTopics(List.of(new NewTopic("orders", partitions, (short) 1)))
                        .all()
                        .get();
            }
        }
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>("orders", 0, null, value)).get();
            }
        }
    }

    private Server start() throws Exception {
        return Server.standalone(
                ConfigFile.parse(FREE_PORTS, "test"), folder.resolve("data"), new MemoryBudget(MemoryBudget.LEAST));
    }
}
