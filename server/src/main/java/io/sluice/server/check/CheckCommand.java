package io.sluice.server.check;

import io.sluice.server.version.Version;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice check}: whether a server that runs somewhere takes writes and gives them back, over both protocols. */
@Command(
        name = "check",
        description =
                "Writes to a running server and reads back, over both protocols, as a client does. Uses topics of its"
                        + " own, sluice-check-*, and deletes them. Exits with 1, and one line, at the first thing that is wrong.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class CheckCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Option(
            names = "--bootstrap-server",
            paramLabel = "HOST:PORT",
            description = "Where Kafka clients connect (default: ${DEFAULT-VALUE}).")
    private String bootstrap = "127.0.0.1:9092";

    @Option(
            names = "--pulsar-url",
            paramLabel = "URL",
            description = "Where Pulsar clients connect (default: ${DEFAULT-VALUE}).")
    private String pulsar = "pulsar://127.0.0.1:6650";

    @Option(
            names = "--http-url",
            paramLabel = "URL",
            description = "Where readiness and Pulsar's admin are (default: ${DEFAULT-VALUE}).")
    private String http = "http://127.0.0.1:8080";

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description = "Settings of a Kafka client, for a server that asks who its clients are, or has TLS.")
    private @Nullable Path config;

    @Option(
            names = "--credentials",
            paramLabel = "FILE",
            description =
                    "File, or env:NAME for a variable, with a token or NAME:PASSWORD that is shown to Pulsar and HTTP.")
    private @Nullable String shown;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description =
                    "Certificates, PEM, of the authorities that pulsar+ssl:// and https:// are trusted by (default: the system's).")
    private @Nullable Path authority;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Time for each of HTTP, Kafka and Pulsar (default: ${DEFAULT-VALUE}).")
    private int seconds = 30;

    @Override
    public Integer call() {
        // Must be said before the first logger is made. Kafka's client talks on the screen of what is one line here.
        System.setProperty("logback.configurationFile", "logback-check.xml");
        try {
            check();
            return 0;
        } catch (CheckException e) {
            spec.commandLine().getErr().println("sluice: " + e.getMessage());
            return 1;
        }
    }

    private void check() throws CheckException {
        if (seconds < 1 || seconds > 3_600) {
            throw new CheckException("--timeout is " + seconds + ", allowed is 1 to 3600");
        }
        Credentials credentials = Credentials.read(config, shown, authority);
        Address kafka = Address.parse("--bootstrap-server", bootstrap);
        Address service = Address.parsePulsar("--pulsar-url", pulsar);
        String topic = "sluice-check-" + UUID.randomUUID();
        byte[] value = topic.getBytes(StandardCharsets.UTF_8);
        passes(
                "HTTP",
                http,
                "ready",
                () -> HttpCalls.to(http, credentials, deadline()).ready());
        passes(
                "Kafka",
                bootstrap,
                "written and read",
                () -> KafkaSession.run(kafka, topic, value, credentials, deadline()));
        passes("Pulsar", pulsar, "written and read", () -> overPulsar(service, topic + "-pulsar", value, credentials));
    }

    private void overPulsar(Address service, String topic, byte[] value, Credentials credentials)
            throws CheckException {
        String path = "public/default/" + topic;
        HttpCalls admin = HttpCalls.to(http, credentials, deadline());
        admin.createTopic(path);
        boolean passed = false;
        try {
            PulsarSession.run(service, "persistent://" + path, value, credentials, deadline());
            passed = true;
        } finally {
            delete(path, credentials, passed);
        }
    }

    private void delete(String path, Credentials credentials, boolean mustWork) throws CheckException {
        try {
            HttpCalls.to(http, credentials, deadline()).deleteTopic(path);
        } catch (CheckException e) {
            if (mustWork) { // else there is a failure before it, which says more
                throw e;
            }
        }
    }

    private Deadline deadline() {
        return Deadline.in(Duration.ofSeconds(seconds));
    }

    /** Check of one port. */
    private interface Step {
        void run() throws CheckException;
    }

    private void passes(String protocol, String address, String what, Step step) throws CheckException {
        long start = System.nanoTime();
        step.run();
        PrintWriter out = spec.commandLine().getOut();
        out.printf("%-7s %s: %s, %d ms%n", protocol, address, what, (System.nanoTime() - start) / 1_000_000);
        out.flush();
    }
}
