package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A scalable topic in a namespace that is replicated to another cluster. */
@Timeout(90)
class ScalableReplicationTest {
    private static final String SCALABLE = "topic://public/default/s";
    private static final String OTHER = "persistent://public/default/t";

    /** Segments have no meaning elsewhere, so the policy of their namespace does not count. */
    @Test
    void scalableTopicsStayInTheirCluster() throws Exception {
        try (TestGateway near = TestGateway.start(GeoReplicationTest.named("near"));
                TestGateway far = TestGateway.start(GeoReplicationTest.named("far"));
                TestAdmin nearAdmin = new TestAdmin(near);
                TestAdmin farAdmin = new TestAdmin(far)) {
            GeoReplicationTest.replicate(nearAdmin.client(), "near", "far", farAdmin, far);
            nearAdmin.client().scalableTopics().createScalableTopic(SCALABLE, 1);
            try (var client = PulsarClient.builder()
                            .serviceUrl("pulsar://127.0.0.1:" + near.port())
                            .build();
                    var producer =
                            client.newProducer(Schema.string()).topic(SCALABLE).create()) {
                Sends.send(producer, "k", "v");
            }
            sendAndAwait(near, nearAdmin);
            assertThat(near.broker().catalogue().all()).anyMatch(t -> t.name().isSegment());
            assertThat(far.broker().catalogue().all())
                    .filteredOn(t -> !t.internal())
                    .extracting(Topic::name)
                    .containsExactly(TopicName.ofDefault("t"));
            assertThat(farAdmin.client().scalableTopics().listScalableTopics("public/default"))
                    .isEmpty();
        }
    }

    /** Writes to another topic, and waits until that is in the other cluster. */
    private static void sendAndAwait(TestGateway near, TestAdmin admin) throws Exception {
        try (var client = near.client();
                var producer = client.newProducer().topic(OTHER).create()) {
            producer.send(new byte[1]);
            await().atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(admin.client()
                                    .topics()
                                    .getStats(OTHER)
                                    .getReplication()
                                    .get("far"))
                            .matches(to -> to.isConnected() && to.getReplicationBacklog() == 0));
        }
    }
}
