package io.sluice.perf.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Apache Kafka: one KRaft node that is broker and controller. */
final class KafkaServer implements Contender {
    /** Any will do: the cluster lives as long as one measurement. */
    private static final String CLUSTER_ID = "4L6g3nShT-eMCtK--X86sw";

    private static final Duration FORMATTED_WITHIN = Duration.ofMinutes(1);

    private final boolean flush;
    private final ServerSetup setup;
    private final Artifacts artifacts;
    private final PeerJvm jvm;

    /** With {@code flush}, every batch is fsynced before it is acknowledged. */
    KafkaServer(boolean flush, ServerSetup setup, Checkout checkout) {
        this.flush = flush;
        this.setup = setup;
        this.artifacts = new Artifacts("kafka", checkout);
        this.jvm = new PeerJvm(artifacts, setup);
    }

    @Override
    public String name() {
        return flush ? "kafka-flush" : "kafka";
    }

    @Override
    public List<String> protocols() {
        return List.of("kafka");
    }

    @Override
    public void prepare() throws PeerException, InterruptedException {
        artifacts.fetch();
    }

    @Override
    public RunningServer start(Path folder) throws PeerException, InterruptedException {
        List<Integer> ports = LoopbackPorts.free(2);
        Map<String, String> properties = properties(folder, ports.get(0), ports.get(1));
        Path file = folder.resolve("server.properties");
        write(file, properties);
        format(folder, file);
        var child = ServerChild.start(
                name(),
                jvm.command(folder, Map.of(), "kafka.Kafka", file.toString()),
                Map.of(),
                folder,
                setup.log(name()));
        child.awaitReady(() -> ServerChild.accepts(ports.get(0)));
        Map<String, String> settings = new HashMap<>(jvm.settings());
        settings.put("tls", setup.tlsText());
        settings.put("fsync", flush ? "every batch" : "left to the system");
        settings.put("log.flush.interval.messages", flush ? "1" : "default");
        return new RunningServer(
                child,
                folder,
                Map.of("kafka", setup.kafka(ports.get(0))),
                artifacts.version("kafka_2.13"),
                Map.copyOf(settings));
    }

    private Map<String, String> properties(Path folder, int port, int controllerPort) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("process.roles", "broker,controller");
        properties.put("node.id", "1");
        properties.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        properties.put("controller.listener.names", "CONTROLLER");
        Certificates tls = setup.tls();
        String listener = (tls == null ? "PLAINTEXT" : "SSL") + "://127.0.0.1:" + port;
        properties.put("listeners", listener + ",CONTROLLER://127.0.0.1:" + controllerPort);
        properties.put("advertised.listeners", listener);
        if (tls != null) {
            // Kafka knows the names of listeners only while all of them have the default protocol.
            properties.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,SSL:SSL");
            properties.put("security.inter.broker.protocol", "SSL");
            properties.put("ssl.keystore.type", "PEM");
            properties.put("ssl.keystore.location", tls.both().toString());
            properties.put("ssl.truststore.type", "PEM");
            properties.put("ssl.truststore.location", tls.authorities().toString());
        }
        properties.put("log.dirs", folder.resolve("logs").toString());
        properties.put("offsets.topic.replication.factor", "1");
        properties.put("transaction.state.log.replication.factor", "1");
        properties.put("transaction.state.log.min.isr", "1");
        properties.put("share.coordinator.state.topic.replication.factor", "1");
        properties.put("share.coordinator.state.topic.min.isr", "1");
        // A group of the load generator is complete when it is made: waiting for more members only delays its start.
        properties.put("group.initial.rebalance.delay.ms", "0");
        properties.put("message.max.bytes", Integer.toString(16 << 20));
        properties.put("replica.fetch.max.bytes", Integer.toString(16 << 20));
        if (flush) {
            properties.put("log.flush.interval.messages", "1");
        }
        return properties;
    }

    private static void write(Path file, Map<String, String> properties) throws PeerException {
        try {
            Files.write(
                    file,
                    properties.entrySet().stream()
                            .map(entry -> entry.getKey() + "=" + entry.getValue())
                            .toList());
        } catch (IOException e) {
            throw new PeerException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private void format(Path folder, Path file) throws PeerException, InterruptedException {
        List<String> command = jvm.command(
                folder, Map.of(), "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", file.toString());
        try (var format =
                ServerChild.start("formatting " + name(), command, Map.of(), folder, setup.log(name() + "-format"))) {
            format.awaitSuccess(FORMATTED_WITHIN);
        }
    }
}
