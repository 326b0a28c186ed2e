package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.Broker;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.topic.TopicName;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Objects;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Topics that one node has just made, of which the other one has not heard when a client asks it. */
@Timeout(60)
class FreshTopicsTest {
    private static final String FRESH = TopicName.ofDefault("fresh").toString();
    private static final String SCALABLE = "topic://public/default/fresh-scalable";

    private TwoGateways both;
    private Broker other;
    private TestAdmin admin;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        both = new TwoGateways();
        other = both.broker.anotherNode();
        PulsarGateway gateway = both.startOver(other);
        int port = Objects.requireNonNull(gateway.services().cluster().self().endpoint(ClusterNode.PULSAR))
                .port();
        admin = new TestAdmin(gateway, port);
        client = RawClient.connect(port);
        both.broker.metadata().loseConnection();
        both.broker.createTopic(TopicName.ofDefault("fresh"), 4, true);
        both.broker
                .scalableTopics()
                .create(TopicName.ofDefault("fresh-scalable"), 2, Map.of())
                .join();
        assertThat(other.catalogue().find(TopicName.ofDefault("fresh"))).isNull();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        admin.close();
        both.close();
        other.close();
    }

    @Test
    void itsPartitionsAreCounted() throws Exception {
        client.write(Commands.newPartitionMetadataRequest(FRESH, 1, true));
        var answer =
                client.expect(BaseCommand.Type.PARTITIONED_METADATA_RESPONSE).getPartitionMetadataResponse();
        assertThat(answer.getPartitions()).isEqualTo(4);
    }

    @Test
    void itsPartitionsAreFound() throws Exception {
        client.write(Commands.newLookup(FRESH + "-partition-2", false, 1));
        assertThat(client.expect(BaseCommand.Type.LOOKUP_RESPONSE)
                        .getLookupTopicResponse()
                        .hasBrokerServiceUrl())
                .isTrue();
    }

    @Test
    void itsPartitionsAreSubscribed() throws Exception {
        client.write(Commands.newSubscribe(
                FRESH + "-partition-2", "s", 2, 2, CommandSubscribe.SubType.Exclusive, 0, "c", 0));
        client.expect(BaseCommand.Type.SUCCESS);
    }

    @Test
    void adminClientsSeeIt() throws Exception {
        var answer = new JsonObject(admin.ask("GET", "/admin/v2/persistent/public/default/fresh/partitions")
                .body());
        assertThat(answer.getInteger("partitions")).isEqualTo(4);
    }

    @Test
    void theLayoutOfAScalableOneIsTold() throws Exception {
        client.write(Commands.newScalableTopicLookup(1, SCALABLE));
        var update = client.expect(BaseCommand.Type.SCALABLE_TOPIC_UPDATE).getScalableTopicUpdate();
        assertThat(update.hasError()).isFalse();
        assertThat(update.getDag().getSegmentsCount()).isEqualTo(2);
    }
}
