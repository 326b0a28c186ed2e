package io.sluice.conformance;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka clients of four code bases: every compression, 1 B to 5 MB, keys, headers, 16 partitions, groups that rebalance. */
class KafkaClientsTest {
    @TempDir
    private static Path folder;

    private static SluiceServer server;

    @BeforeAll
    static void startServer() {
        server = SluiceServer.start(folder.resolve("data"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void javaClientWithClassicGroups() throws Exception {
        ClientProgram.java("kafka-4.4", KafkaRoundTrip.class, server.kafka(), "classic");
    }

    @Test
    void javaClientWithConsumerGroups() throws Exception {
        ClientProgram.java("kafka-4.4", KafkaRoundTrip.class, server.kafka(), "consumer");
    }

    @Test
    void javaClientOfTheTwoLine() throws Exception {
        ClientProgram.java("kafka-2.8", KafkaRoundTrip.class, server.kafka());
    }

    @Test
    void transactionsOfTheJavaClient() throws Exception {
        ClientProgram.java("kafka-4.4", KafkaTransactions.class, server.kafka());
    }

    @Test
    void transactionsOfTheJavaClientOfTheTwoLine() throws Exception {
        ClientProgram.java("kafka-2.8", KafkaTransactions.class, server.kafka());
    }

    @Test
    void librdkafka() throws Exception {
        ClientProgram.python("kafka_round_trip.py", server.kafka());
    }

    @Test
    void franzGo() throws Exception {
        ClientProgram.go("franz", server.kafka());
    }
}
