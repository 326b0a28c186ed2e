package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.connection.ConnectionLimits;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.junit.jupiter.api.Test;

/** {@code min.insync.replicas} is a promise about copies of acknowledged records, of which the log keeps as many as it keeps. */
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

    private static long produce(TestGateway server, String acks) throws Exception {
        Map<String, Object> settings = Map.of("acks", acks, "enable.idempotence", false, "retries", 0);
        try (var producer = server.producer(settings)) {
            return producer.send(new ProducerRecord<>("t", new byte[10]))
                    .get(20, TimeUnit.SECONDS)
                    .offset();
        }
    }

    @Test
    void moreThanTheLogKeepsIsRefusedWithTheReason() throws Exception {
        try (TestGateway server = new TestGateway(ConnectionLimits.defaults(), 2);
                Admin admin = server.admin()) {
            assertThatThrownBy(() -> create(admin, "t", 3))
                    .hasCauseInstanceOf(InvalidConfigurationException.class)
                    .hasMessageContaining("cannot be more than 2");
            create(admin, "t", 2);
            assertThat(produce(server, "all")).isZero();
            assertThatThrownBy(() -> alter(admin, 3))
                    .hasCauseInstanceOf(InvalidConfigurationException.class)
                    .hasMessageContaining("cannot be more than 2");
            alter(admin, 1);
            assertThat(produce(server, "all")).isEqualTo(1);
        }
    }

    /** As of a release that took every number, or of a log that kept more. */
    @Test
    void whereATopicAsksForMoreThanTheLogKeepsOnlyProducersThatDoNotAskForAllMayWrite() throws Exception {
        try (TestGateway server = new TestGateway()) {
            server.broker
                    .catalogue()
                    .create(TopicName.ofDefault("t"), 1, true, false, Map.of("min.insync.replicas", "2"))
                    .join();
            assertThatThrownBy(() -> produce(server, "all")).hasCauseInstanceOf(NotEnoughReplicasException.class);
            assertThat(produce(server, "1")).isZero();
            server.broker
                    .catalogue()
                    .configure(TopicName.ofDefault("t"), Map.of())
                    .join();
            assertThat(produce(server, "all")).isEqualTo(1);
        }
    }
}
