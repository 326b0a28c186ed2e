package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Clients of both protocols that write and read all the time while partitions change nodes: librdkafka, franz-go, Pulsar's for Python (C++)
 * and for Go. Each has a topic of its own, and fails if a number is lost, doubled or out of order.
 */
final class FollowingClients implements AutoCloseable {
    private static final int PARTITIONS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final Path folder;
    private final List<Client> clients = new ArrayList<>();

    private record Client(String name, Process process, Path said) {
        String output() {
            try {
                return Files.readString(said);
            } catch (IOException e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    private FollowingClients(Path folder) {
        this.folder = folder;
    }

    /**
     * Returns when all have read something. Of Kafka's clients each knows one of the nodes at first. Pulsar's look every topic up where they
     * were told to, and so know both.
     */
    static FollowingClients start(Path folder, SluiceServer one, SluiceServer other) throws Exception {
        var started = new FollowingClients(folder);
        try {
            started.startPython(one, "kafka", one.kafka());
            started.startGo(one, "kafka", other.kafka());
            started.startPython(one, "pulsar", pulsar(one, other));
            started.startGo(one, "pulsar", pulsar(other, one));
            for (Client each : started.clients) {
                await().atMost(PATIENCE).until(() -> {
                    assertThat(each.process().isAlive()).as(each::output).isTrue();
                    return each.output().contains("ready");
                });
            }
            return started;
        } catch (Throwable e) {
            started.close();
            throw e;
        }
    }

    private static String pulsar(SluiceServer one, SluiceServer other) {
        return one.pulsar() + "," + other.pulsar().replace("pulsar://", "");
    }

    private void startPython(SluiceServer node, String kind, String address) throws Exception {
        String topic = created(node, "follow-python-" + kind);
        start(topic, ClientProgram.pythonCommand("follow.py", kind, address, topic, "" + PARTITIONS));
    }

    private void startGo(SluiceServer node, String kind, String address) throws Exception {
        String topic = created(node, "follow-go-" + kind);
        start(topic, ClientProgram.goCommand("follow", kind, address, topic, "" + PARTITIONS));
    }

    private static String created(SluiceServer by, String topic) throws Exception {
        URI partitions = URI.create(by.http() + "/admin/v2/persistent/public/default/" + topic + "/partitions");
        HttpRequest request = HttpRequest.newBuilder(partitions)
                .header("content-type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString("" + PARTITIONS))
                .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .isEqualTo(204);
        }
        return topic;
    }

    private void start(String name, List<String> command) throws IOException {
        Path said = folder.resolve(name + ".txt");
        clients.add(new Client(
                name,
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start(),
                said));
    }

    /** They stop to write, and read what is left. */
    void finish() throws Exception {
        for (Client each : clients) {
            each.process().getOutputStream().close();
        }
        for (Client each : clients) {
            boolean ended = each.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(ended).as("%s ends: %s", each.name(), each.output()).isTrue();
            assertThat(each.output().lines()).as(each.name()).contains("all ok");
            assertThat(each.process().exitValue()).as(each::output).isZero();
        }
    }

    @Override
    public void close() {
        for (Client each : clients) {
            each.process().destroyForcibly();
            each.process().onExit().join();
        }
    }
}
