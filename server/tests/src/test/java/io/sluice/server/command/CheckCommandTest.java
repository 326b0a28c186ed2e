package io.sluice.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.Main;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.wiring.Listeners;
import io.sluice.server.wiring.Server;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CheckCommandTest {
    private static final String FREE_PORTS = "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n";

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void writesAndReadsOverBothProtocolsAndLeavesNothing() throws Exception {
        try (Server server = start(FREE_PORTS)) {
            assertThat(check(server)).as(err.toString()).isZero();
            assertThat(out.toString().lines())
                    .hasSize(3)
                    .anyMatch(line -> line.matches("HTTP    http://127.0.0.1:\\d+: ready, \\d+ ms"))
                    .anyMatch(line -> line.matches("Kafka   127.0.0.1:\\d+: written and read, \\d+ ms"))
                    .anyMatch(line -> line.matches("Pulsar  pulsar://127.0.0.1:\\d+: written and read, \\d+ ms"));
            assertThat(err.toString()).isEmpty();
            assertNoTopicIsLeft(server);
        }
    }

    @Test
    void saysWhichPortDoesNotAnswer() throws Exception {
        try (Server server = start(FREE_PORTS)) {
            Listeners ports = server.listeners();
            assertThat(run(ports.kafka(), "pulsar://" + ports.pulsar(), "http://127.0.0.1:1"))
                    .isEqualTo(1);
            assertOneLine("cannot ask http://127.0.0.1:1/ready: Connection refused");
            assertThat(run("127.0.0.1:1", "pulsar://" + ports.pulsar(), "http://" + ports.http()))
                    .isEqualTo(1);
            assertOneLine("cannot connect to Kafka at 127.0.0.1:1: Connection refused");
            assertThat(run(ports.kafka(), "pulsar://127.0.0.1:1", "http://" + ports.http()))
                    .isEqualTo(1);
            assertOneLine("cannot connect to Pulsar at 127.0.0.1:1: Connection refused");
            assertNoTopicIsLeft(server);
        }
    }

    @Test
    void saysWhatIsNoPulsarServer() throws Exception {
        try (Server server = start(FREE_PORTS)) {
            Listeners ports = server.listeners();
            assertThat(run(ports.kafka(), "pulsar://" + ports.http(), "http://" + ports.http()))
                    .isEqualTo(1);
            assertOneLine("Pulsar at " + ports.http());
            assertNoTopicIsLeft(server);
        }
    }

    @Test
    void usesThePulsarAddressThatClientsAreTold() throws Exception {
        try (Server server = start(FREE_PORTS.replace("pulsar: {", "pulsar: {advertisedHost: nowhere.invalid, "))) {
            String service = "pulsar://127.0.0.1:" + portOf(server.listeners().pulsar());
            assertThat(run(
                            server.listeners().kafka(),
                            service,
                            "http://" + server.listeners().http()))
                    .isEqualTo(1);
            assertOneLine("cannot connect to Pulsar at nowhere.invalid:", "no such host");
            assertNoTopicIsLeft(server);
        }
    }

    @Test
    void usesTheKafkaAddressThatClientsAreTold() throws Exception {
        try (Server server = start(FREE_PORTS.replace("kafka: {", "kafka: {advertisedHost: nowhere.invalid, "))) {
            Listeners ports = server.listeners();
            String bootstrap = "127.0.0.1:" + portOf(ports.kafka());
            assertThat(run(bootstrap, "pulsar://" + ports.pulsar(), "http://" + ports.http(), "--timeout", "3"))
                    .isEqualTo(1);
            assertOneLine("Kafka at " + bootstrap, "within 3 s", "kafka.advertisedHost");
        }
    }

    @Test
    void wrongOptionsAreOneLine() {
        assertThat(run("here", "pulsar://127.0.0.1:1", "http://127.0.0.1:1")).isEqualTo(1);
        assertOneLine("--bootstrap-server is 'here', expected is HOST:PORT");
        assertThat(run("127.0.0.1:1", "127.0.0.1:6650", "http://127.0.0.1:1")).isEqualTo(1);
        assertOneLine("--pulsar-url is '127.0.0.1:6650', expected is pulsar://HOST:PORT");
        assertThat(run("127.0.0.1:1", "pulsar://127.0.0.1:1", "127.0.0.1:8080")).isEqualTo(1);
        assertOneLine("--http-url is '127.0.0.1:8080', expected is http://HOST:PORT");
        assertThat(run("127.0.0.1:1", "pulsar://127.0.0.1:1", "http://127.0.0.1:1", "--timeout", "0"))
                .isEqualTo(1);
        assertOneLine("--timeout is 0, allowed is 1 to 3600");
    }

    private Server start(String config) throws Exception {
        return Server.standalone(ConfigFile.parse(config, "test"), folder, new MemoryBudget(MemoryBudget.LEAST));
    }

    private int check(Server server) {
        Listeners ports = server.listeners();
        return run(ports.kafka(), "pulsar://" + ports.pulsar(), "http://" + ports.http());
    }

    private int run(String kafka, String pulsar, String http, String... more) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err, true));
        String[] arguments = {"check", "--bootstrap-server", kafka, "--pulsar-url", pulsar, "--http-url", http};
        String[] all = Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return line.execute(all);
    }

    private void assertOneLine(String... parts) {
        assertThat(err.toString()).startsWith("sluice: ").contains(parts).hasLineCount(1);
    }

    private static void assertNoTopicIsLeft(Server server) throws Exception {
        try (Admin admin = Admin.create(Map.of(
                "bootstrap.servers", "127.0.0.1:" + portOf(server.listeners().kafka())))) {
            assertThat(admin.listTopics().names().get(30, TimeUnit.SECONDS))
                    .noneMatch(name -> name.contains("sluice-check"));
        }
    }

    private static String portOf(String address) {
        return address.substring(address.lastIndexOf(':') + 1);
    }
}
