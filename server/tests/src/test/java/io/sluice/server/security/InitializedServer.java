package io.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.wiring.Server;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A server with the settings that {@code sluice security init} wrote, and clients with the files that it wrote for them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InitializedServer {
    static final int MOST_SUBSCRIPTIONS = 4;

    Path folder;
    Path made;
    Server server;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        this.folder = folder;
        made = folder.resolve("it's secure");
        CommandRun init = CommandRun.of("security", "init", "--out", made.toString(), "--admin", "root");
        assertThat(init.code()).as(init.err()).isZero();
        server = Server.standalone(
                ConfigFile.read(
                        null,
                        made.resolve("sluice.yaml"),
                        List.of(
                                "kafka.port=0",
                                "pulsar.port=0",
                                "http.port=0",
                                "security.subscriptionsPerUser=" + MOST_SUBSCRIPTIONS)),
                folder.resolve("data"),
                new MemoryBudget(512L << 20));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    Properties settings(Path file) throws Exception {
        var settings = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            settings.load(reader);
        }
        return settings;
    }

    /** The written file, but for the port. */
    Properties kafkaSettings() throws Exception {
        Properties settings = settings(made.resolve("client.properties"));
        settings.setProperty("bootstrap.servers", server.listeners().kafka());
        return settings;
    }

    Properties of(String name, String password) throws Exception {
        Properties settings = kafkaSettings();
        settings.setProperty(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
                        .formatted(name, password));
        return settings;
    }

    void write(Properties settings, String topic) throws Exception {
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, "hello")).get(60, TimeUnit.SECONDS);
        }
    }

    /** The written file, but for the port. */
    ClientBuilder pulsar(Properties conf) {
        return PulsarClient.builder()
                .serviceUrl("pulsar+ssl://" + server.listeners().pulsar())
                .tlsTrustCertsFilePath(conf.getProperty("tlsTrustCertsFilePath"))
                .enableTlsHostnameVerification(Boolean.parseBoolean(conf.getProperty("tlsEnableHostnameVerification")));
    }
}
