package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.conformance.clients.CrashLoad;
import io.sluice.conformance.clients.KafkaCrashClient;
import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarCrashClient;
import io.sluice.conformance.clients.ReservedPorts;
import io.sluice.testcontainers.SluiceContainer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.output.OutputFrame.OutputType;

/** The container image under a real engine, with clients outside the container. */
class ImageTest {
    private static final List<String> CODECS = List.of("gzip", "snappy", "lz4", "zstd");
    private static final TopicPartition TOPIC = new TopicPartition("image", 0);
    private static final int KILLS = 2;
    private static final long SIGTERM_CODE = 143;

    private ContainerEngine engine;

    @BeforeEach
    void loadImage() throws Exception {
        engine = ContainerEngine.required();
    }

    @AfterEach
    void removeVolume() {
        if (engine != null) {
            engine.close();
        }
    }

    /** Nothing but the volume may be written to; memory comes from the container's limit. */
    @Test
    void servesStockClientsOnAReadOnlyRootAndKeepsItsVolume() throws Exception {
        try (SluiceContainer first = readOnly().withSetting("log.output", "json")) {
            first.start();
            produceInEveryCodec(first);
            pulsarSend(first, "0");
            assertThat(kafkaRecords(first)).isEqualTo(CODECS);
            assertThat(pulsarReceive(first)).isEqualTo("0");
            assertThat(arguments(first)).contains("-Dsluice.memory=" + (768L << 20));
            assertThat(first.execInContainer("sluice", "--version").getStdout()).startsWith("sluice ");
            assertThat(engine.stop(first)).isEqualTo(SIGTERM_CODE);
            assertThat(first.getLogs(OutputType.STDOUT).lines())
                    .isNotEmpty()
                    .allMatch(line -> line.startsWith("{\"timestamp\":") && line.endsWith("}"))
                    .anyMatch(line -> line.contains("Sluice") && line.contains("is ready"));
            assertThat(first.getLogs(OutputType.STDERR)).isEmpty();
        }
        try (SluiceContainer second = readOnly().withEnv("SLUICE_JVM_OPTS", "-XX:AOTMode=on")) {
            second.start();
            assertThat(kafkaRecords(second)).isEqualTo(CODECS);
            pulsarSend(second, "1");
            assertThat(pulsarReceive(second)).as("after what was acknowledged").isEqualTo("1");
        }
    }

    /** On a read-only root, too; who shows nothing is refused. */
    @Test
    void asksWhoItsClientsAreWithSecurity(@TempDir Path folder) throws Exception {
        try (SluiceContainer secured = readOnly().withSecurity()) {
            secured.start();
            Map<String, Object> login = new HashMap<>(secured.getKafkaSettings());
            login.remove("bootstrap.servers");
            try (var producer = new KafkaSide(secured.getBootstrapServers()).producer(login)) {
                KafkaSide.send(producer, TOPIC, "hello");
            }
            Path authority = Files.writeString(folder.resolve("ca.pem"), secured.getCertificateAuthority());
            try (PulsarAdmin admin = PulsarAdmin.builder()
                    .serviceHttpUrl(secured.getHttpServiceUrl())
                    .tlsTrustCertsFilePath(authority.toString())
                    .enableTlsHostnameVerification(true)
                    .authentication(AuthenticationFactory.token(secured.getToken()))
                    .build()) {
                assertThat(admin.topics().getPartitionedTopicList("public/default"))
                        .contains("persistent://public/default/image");
            }
            try (PulsarClient nobody = PulsarClient.builder()
                    .serviceUrl(secured.getPulsarBrokerUrl())
                    .tlsTrustCertsFilePath(authority.toString())
                    .enableTlsHostnameVerification(true)
                    .build()) {
                assertThatThrownBy(() -> nobody.newProducer().topic("image").create())
                        .isInstanceOf(PulsarClientException.AuthenticationException.class);
            }
        }
    }

    @Test
    void killUnderLoadLosesNothingThatWasAcknowledged() throws Exception {
        List<String> published = List.of(
                ReservedPorts.next() + ":" + SluiceContainer.KAFKA_PORT,
                ReservedPorts.next() + ":" + SluiceContainer.PULSAR_PORT,
                ReservedPorts.next() + ":" + SluiceContainer.HTTP_PORT);
        SluiceContainer server = started(published);
        try {
            List<CrashLoad> loads = List.of(
                    new CrashLoad(new KafkaCrashClient(server.getBootstrapServers(), "image-kafka", 0, 2)),
                    new CrashLoad(new KafkaCrashClient(server.getBootstrapServers(), "image-kafka", 1, 2)),
                    new CrashLoad(new PulsarCrashClient(server.getPulsarBrokerUrl(), "image-pulsar")));
            loads.forEach(CrashLoad::start);
            for (int kill = 0; kill < KILLS; kill++) {
                CrashLoad.awaitProgress("kill " + kill, loads);
                engine.kill(server);
                server.close();
                server = started(published);
            }
            CrashLoad.awaitProgress("after the last kill", loads);
            for (CrashLoad load : loads) {
                load.finish();
            }
            for (CrashLoad load : loads) {
                load.checkNothingLost("docker kill");
            }
        } finally {
            server.close();
        }
    }

    private SluiceContainer readOnly() {
        SluiceContainer container = engine.container()
                .withCreateContainerCmdModifier(create ->
                        create.getHostConfig().withReadonlyRootfs(true).withMemory(1L << 30));
        container.getEnvMap().remove("SLUICE_MEMORY");
        return container;
    }

    private SluiceContainer started(List<String> published) {
        SluiceContainer container = engine.container();
        container.setPortBindings(published);
        container.start();
        return container;
    }

    private static String arguments(SluiceContainer container) throws Exception {
        return container.execInContainer("sh", "-c", "cat /proc/1/cmdline").getStdout();
    }

    /** Checking what they send wants the library of each. */
    private static void produceInEveryCodec(SluiceContainer container) throws Exception {
        for (String codec : CODECS) {
            try (var producer =
                    new KafkaSide(container.getBootstrapServers()).producer(Map.of("compression.type", codec))) {
                KafkaSide.send(producer, TOPIC, codec);
            }
        }
    }

    /** By a group, so that its coordinator is asked for, too. */
    private static List<String> kafkaRecords(SluiceContainer container) {
        List<String> values = new ArrayList<>();
        try (var consumer = new KafkaSide(container.getBootstrapServers())
                .consumer(Map.of("group.id", "readers", "auto.offset.reset", "earliest"))) {
            consumer.subscribe(List.of(TOPIC.topic()));
            for (String record : KafkaSide.poll(consumer, CODECS.size())) {
                values.add(record.substring(record.indexOf('=') + 1));
            }
        }
        return values;
    }

    private static void pulsarSend(SluiceContainer container, String value) throws Exception {
        try (PulsarClient client = client(container);
                var producer =
                        client.newProducer(Schema.STRING).topic("image-pulsar").create()) {
            producer.send(value);
        }
    }

    private static String pulsarReceive(SluiceContainer container) throws Exception {
        try (PulsarClient client = client(container);
                var consumer = client.newConsumer(Schema.STRING)
                        .topic("image-pulsar")
                        .subscriptionName("readers")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .subscribe()) {
            Message<String> message = consumer.receive(30, TimeUnit.SECONDS);
            consumer.acknowledge(message);
            return message.getValue();
        }
    }

    private static PulsarClient client(SluiceContainer container) throws Exception {
        return PulsarClient.builder().serviceUrl(container.getPulsarBrokerUrl()).build();
    }
}
