package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.access.Principal;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException.NotAuthorizedException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException.AuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rights on a shadow topic and on its source are apart; making one takes both. */
@Timeout(90)
class ShadowTopicRightsTest {
    private static final String SOURCE = "persistent://public/default/source";
    private static final String SHADOW = "persistent://public/default/shadow";

    private static Consumer<byte[]> subscribe(PulsarClient client, String topic) throws Exception {
        return client.newConsumer().topic(topic).subscriptionName("s").subscribe();
    }

    @Test
    void whoMayReadOneMayNotReadTheOther() throws Exception {
        try (RuledGateway ruled = new RuledGateway("alice", "bob", "root");
                TestAdmin root = new TestAdmin(ruled.gateway, new Principal("root"));
                TestAdmin alices = new TestAdmin(ruled.gateway, new Principal("alice"));
                PulsarClient alice = ruled.client("alice");
                PulsarClient bob = ruled.client("bob")) {
            ruled.allow("alice", "shadow");
            ruled.allow("bob", "source");
            root.client().topics().createNonPartitionedTopic(SOURCE);
            assertThatThrownBy(() -> alices.client().topics().createShadowTopic(SHADOW, SOURCE))
                    .isInstanceOf(NotAuthorizedException.class);
            root.client().topics().createShadowTopic(SHADOW, SOURCE);
            try (Consumer<byte[]> own = subscribe(alice, SHADOW);
                    Producer<byte[]> producer = bob.newProducer().topic(SOURCE).create()) {
                producer.send(new byte[] {7});
                assertThat(own.receive(30, TimeUnit.SECONDS).getData()).containsExactly(7);
            }
            assertThatThrownBy(() -> subscribe(alice, SOURCE)).isInstanceOf(AuthorizationException.class);
            assertThatThrownBy(() -> subscribe(bob, SHADOW)).isInstanceOf(AuthorizationException.class);
        }
    }
}
