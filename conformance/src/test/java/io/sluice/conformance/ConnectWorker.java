package io.sluice.conformance;

import io.sluice.conformance.clients.ReservedPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A worker of Kafka Connect in distributed mode, in a process of its own: stock jars, its settings in a file as users have them. */
final class ConnectWorker implements AutoCloseable {
    private static final Path JARS = Path.of("connect/target/jars").toAbsolutePath();
    private static final String SETTINGS = """
            bootstrap.servers=%s
            group.id=connect
            listeners=http://127.0.0.1:%2$d
            rest.advertised.host.name=127.0.0.1
            rest.advertised.port=%2$d
            exactly.once.source.support=enabled
            key.converter=org.apache.kafka.connect.storage.StringConverter
            value.converter=org.apache.kafka.connect.json.JsonConverter
            value.converter.schemas.enable=false
            config.storage.topic=connect-configs
            offset.storage.topic=connect-offsets
            offset.storage.partitions=3
            status.storage.topic=connect-status
            status.storage.partitions=1
            plugin.discovery=service_load
            # What a killed worker had is taken over soon.
            session.timeout.ms=6000
            heartbeat.interval.ms=1000
            scheduled.rebalance.max.delay.ms=0
            """;

    private final int port = ReservedPorts.next();
    private final Path log;
    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();

    /** @param folder for its settings and what it prints */
    ConnectWorker(Path folder, String name, String bootstrap) {
        log = folder.resolve(name + ".log");
        try {
            Path settings =
                    Files.writeString(folder.resolve(name + ".properties"), SETTINGS.formatted(bootstrap, port));
            process = new ProcessBuilder(BriefJvm.command(
                            "-Xmx192m",
                            "-XX:+UseSerialGC",
                            "-Djava.io.tmpdir=" + folder,
                            "-Dorg.slf4j.simpleLogger.showDateTime=true",
                            "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
                            "-cp",
                            JARS + "/*",
                            "org.apache.kafka.connect.cli.ConnectDistributed",
                            settings.toString()))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As the connectors' states name it. */
    String id() {
        return "127.0.0.1:" + port;
    }

    /** The body of a good answer, or null: it is not up yet, or workers just share out their connectors, or one of them is gone. */
    @Nullable
    String ask(String method, String page, String body) throws InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://" + id() + page))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("content-type", "application/json")
                .timeout(Duration.ofSeconds(30))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() == 400) {
                throw new IllegalArgumentException(answer.body());
            }
            return answer.statusCode() < 300 ? answer.body() : null;
        } catch (IOException notNow) {
            return null;
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code kill -9}. */
    void kill() {
        process.destroyForcibly();
        process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        kill();
        http.close();
    }
}
