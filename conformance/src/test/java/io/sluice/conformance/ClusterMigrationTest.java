package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.common.policies.data.ClusterPolicies.ClusterUrl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of other languages, and Kafka's, of a cluster that migrates to another one. */
@Timeout(300)
class ClusterMigrationTest {
    private static SluiceServer blue;
    private static SluiceServer green;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        blue = SluiceServer.start(folder.resolve("blue"), "cluster: {name: blue}", Map.of());
        green = SluiceServer.start(folder.resolve("green"), "cluster: {name: green}", Map.of());
        for (SluiceServer each : List.of(blue, green)) {
            try (PulsarAdmin admin = admin(each)) {
                admin.namespaces().createNamespace("public/python");
                admin.namespaces().createNamespace("public/go");
            }
        }
        migrate(false);
    }

    @AfterAll
    static void stop() {
        green.close();
        blue.close();
    }

    private static String http(SluiceServer server) {
        return "http://127.0.0.1:" + server.ports().http();
    }

    private static PulsarAdmin admin(SluiceServer server) throws Exception {
        return PulsarAdmin.builder().serviceHttpUrl(http(server)).build();
    }

    private static void migrate(boolean migrated) throws Exception {
        migrate(migrated, green);
    }

    private static void migrate(boolean migrated, SluiceServer to) throws Exception {
        try (PulsarAdmin admin = admin(blue)) {
            admin.clusters()
                    .updateClusterMigration("blue", migrated, new ClusterUrl(http(to), null, to.pulsar(), null));
        }
    }

    @Test
    void clientsOfOtherLanguagesGoOnInTheOtherCluster() throws Exception {
        ClientProgram.python("migrated.py", blue.pulsar(), green.pulsar(), http(blue), "public/python");
        ClientProgram.go("migrated", blue.pulsar(), green.pulsar(), http(blue), "public/go");
    }

    /** Also those of a server that starts with the mark. */
    @Test
    void kafkasProducersHearWhereTheTopicHasGone() throws Exception {
        String kafka = "127.0.0.1:" + blue.ports().kafka();
        Properties settings = new Properties();
        settings.putAll(Map.of("bootstrap.servers", kafka, "auto.offset.reset", "earliest"));
        TopicPartition partition = new TopicPartition("orders", 0);
        assertThatThrownBy(() -> migrate(true, blue)).hasMessageContaining("is an address of this cluster itself");
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            producer.send(new ProducerRecord<>("orders", 0, "k", "before")).get();
            migrate(true);
            expectRefused(producer);
            blue.stop();
            blue.start();
            expectRefused(producer);
            ClientProgram.python("migrated_kafka.py", kafka, "orders");
            consumer.assign(List.of(partition));
            assertThat(consumer.poll(Duration.ofSeconds(30)).records(partition))
                    .extracting(r -> r.value())
                    .containsExactly("before");
            migrate(false);
            producer.send(new ProducerRecord<>("orders", 0, "k", "after")).get();
        }
    }

    private void expectRefused(KafkaProducer<String, String> producer) {
        assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", 0, "k", "late"))
                        .get())
                .hasCauseInstanceOf(PolicyViolationException.class)
                .hasMessageContaining("has migrated to another cluster, " + green.pulsar());
    }
}
