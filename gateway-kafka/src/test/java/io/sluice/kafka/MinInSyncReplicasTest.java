package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.kafka.connection.ConnectionLimits;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.junit.jupiter.api.Test;

/** {@code min.insync.replicas} is taken as in Kafka and compared with the log's ack quorum when a producer writes. */
class MinInSyncReplicasTest {
    private static final ConfigResource TOPIC = new ConfigResource(ConfigResource.Type.TOPIC, "t");

    private static void create(Admin admin, String topic, int replicas) throws Exception {
        var asked = new NewTopic(topic, 1, (short) 1).configs(Map.of("min.insync.replicas", String.valueOf(replicas)));
        admin.createTopics(List.of(asked)).all().get(20, TimeUnit.SECONDS);
    }

    private static void alter(Admin admin, int replicas) throws Exception {
        var change = new AlterConfigOp(
                new ConfigEntry("min.insync.replicas", String.valueOf(replicas)), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(TOPIC, List.of(change))).all().get(20, TimeUnit.SECONDS);
    }

    private static String shown(Admin admin) throws Exception {
        Config config = admin.describeConfigs(List.of(TOPIC))
                .all()
                .get(20, TimeUnit.SECONDS)
                .get(TOPIC);
        return Objects.requireNonNull(config).get("min.insync.replicas").value();
    }

    private static long produce(TestGateway server, String acks) throws Exception {
        Map<String, Object> settings = Map.of("acks", acks, "enable.idempotence", false, "retries", 0);
        try (var producer = server.producer(settings)) {
            return producer.send(new ProducerRecord<>("t", new byte[10]))
                    .get(20, TimeUnit.SECONDS)
                    .offset();
        }
    }

    private static void assertOnlyAcksAllIsRefused(TestGateway server, int offset) {
        assertThatThrownBy(() -> produce(server, "all"))
                .hasCauseInstanceOf(NotEnoughReplicasException.class)
                .hasMessageContaining("min.insync.replicas");
        assertThatCode(() -> assertThat(produce(server, "1")).isEqualTo(offset)).doesNotThrowAnyException();
    }

    @Test
    void createTakesMoreThanTheAckQuorumAndAcksAllIsRefused() throws Exception {
        try (TestGateway server = new TestGateway();
                Admin admin = server.admin()) {
            create(admin, "t", 2);
            assertThat(shown(admin)).isEqualTo("2");
            assertOnlyAcksAllIsRefused(server, 0);
            alter(admin, 1);
            assertThat(produce(server, "all")).isEqualTo(1);
        }
    }

    @Test
    void alterTakesMoreThanTheAckQuorumAndAcksAllIsRefused() throws Exception {
        try (TestGateway server = new TestGateway(ConnectionLimits.defaults(), 2);
                Admin admin = server.admin()) {
            create(admin, "t", 2);
            assertThat(produce(server, "all")).isZero();
            alter(admin, 3);
            assertThat(shown(admin)).isEqualTo("3");
            assertOnlyAcksAllIsRefused(server, 1);
        }
    }
}
