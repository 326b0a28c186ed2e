package io.sluice.conformance;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka clients of four code bases: every compression, 1 B to 5 MB, keys, headers, 16 partitions, groups that rebalance, quotas. */
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
        String limited = "librdkafka-limited";
        long limit = 200_000;
        String timed = "librdkafka-timed";
        // it has no request for quotas
        setQuotas(limited, Map.of("producer_byte_rate", (double) limit, "consumer_byte_rate", (double) limit));
        setQuotas(timed, Map.of("request_percentage", 0.1));
        ClientProgram.python("kafka_round_trip.py", server.kafka(), limited, Long.toString(limit), timed);
    }

    private static void setQuotas(String clientId, Map<String, Double> quotas) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            var entity = new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, clientId));
            var ops = quotas.entrySet().stream()
                    .map(each -> new ClientQuotaAlteration.Op(each.getKey(), each.getValue()))
                    .toList();
            admin.alterClientQuotas(List.of(new ClientQuotaAlteration(entity, ops)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void franzGo() throws Exception {
        ClientProgram.go("franz", server.kafka());
    }
}
