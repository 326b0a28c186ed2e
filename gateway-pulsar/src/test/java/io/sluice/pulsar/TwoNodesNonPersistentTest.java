package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException.ProducerBusyException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of two nodes meet at the one that has a topic whose messages are not kept, also when it moves. */
@Timeout(90)
class TwoNodesNonPersistentTest {
    private static final String T = "non-persistent://public/default/";

    private TwoGateways both;
    private PulsarClient ofFirst;
    private PulsarClient ofSecond;

    @BeforeEach
    void start() throws Exception {
        both = new TwoGateways();
        ofFirst = client(1);
        ofSecond = client(2);
    }

    private PulsarClient client(int node) throws Exception {
        return PulsarClients.builder("pulsar://127.0.0.1:" + both.port(node)).build();
    }

    @AfterEach
    void stop() throws Exception {
        ofFirst.close();
        ofSecond.close();
        both.close();
    }

    private int nodeOf(String topic) throws Exception {
        Serving first = both.gateway(1).services().topics().servingNonPersistent(PulsarNames.parseNonPersistent(topic));
        return first instanceof Serving.Here ? 1 : 2;
    }

    private int topicsAt(int node) {
        return both.gateway(node).services().nonPersistent().size();
    }

    private Consumer<String> shared(PulsarClient client, String topic) throws Exception {
        return client.newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("s")
                .subscriptionType(SubscriptionType.Shared)
                .subscribe();
    }

    @Test
    void aTopicIsAtOneNodeWhicheverIsAsked() throws Exception {
        Set<Integer> used = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            String topic = T + "t" + i;
            try (Consumer<String> consumer = shared(ofFirst, topic);
                    Producer<String> producer =
                            ofSecond.newProducer(Schema.STRING).topic(topic).create()) {
                producer.send("m");
                assertThat(consumer.receive(30, TimeUnit.SECONDS).getValue()).isEqualTo("m");
            }
            used.add(nodeOf(topic));
        }
        assertThat(used).containsExactlyInAnyOrder(1, 2);
        assertThat(topicsAt(1) + topicsAt(2)).isEqualTo(8);
    }

    @Test
    void clientsFollowATopicThatMoves() throws Exception {
        String topic = T + "moving";
        int before = nodeOf(topic);
        try (Consumer<String> consumer = shared(ofFirst, topic);
                Producer<String> producer =
                        ofSecond.newProducer(Schema.STRING).topic(topic).create()) {
            producer.send("before");
            assertThat(consumer.receive(30, TimeUnit.SECONDS).getValue()).isEqualTo("before");
            for (int container : both.broker.containers().all()) {
                if (both.ownerOf(container) == before) {
                    both.nodes.handOver(container);
                }
            }
            assertThat(nodeOf(topic)).isEqualTo(TwoGateways.other(before));
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                producer.send("after");
                Message<String> message = consumer.receive(200, TimeUnit.MILLISECONDS);
                return message != null && message.getValue().equals("after");
            });
            // the message may still have come by the node that the topic leaves
            await().untilAsserted(() -> {
                assertThat(topicsAt(before)).isZero();
                assertThat(topicsAt(TwoGateways.other(before))).isEqualTo(1);
            });
        }
    }

    @Test
    void partitionsMadeAtOneNodeAreKnownAtTheOther() throws Exception {
        var name = PulsarNames.parseNonPersistent(T + "p").topic();
        both.gateway(1).services().nonPersistent().partitions().create(name, 4);
        try (Consumer<String> consumer = shared(ofFirst, T + "p");
                Producer<String> producer =
                        ofSecond.newProducer(Schema.STRING).topic(T + "p").create()) {
            Set<String> got = new HashSet<>();
            for (int i = 0; i < 20; i++) {
                producer.newMessage().key("k" + i).value("m" + i).send();
            }
            for (int i = 0; i < 20; i++) {
                got.add(consumer.receive(30, TimeUnit.SECONDS).getValue());
            }
            assertThat(got).hasSize(20);
        }
        assertThat(ofSecond.getPartitionsForTopic(T + "p").get()).hasSize(4);
    }

    @Test
    void policiesSetAtOneNodeHoldAtTheOther() throws Exception {
        var name = PulsarNames.parseNonPersistent(T + "p").topic();
        both.gateway(1).services().nonPersistent().partitions().create(name, 4);
        both.gateway(1)
                .services()
                .nonPersistent()
                .settings()
                .change(name, settings -> TopicPolicies.MAX_PRODUCERS.set(settings, 1));
        await().until(() ->
                !both.gateway(2).services().nonPersistent().settings().of(name).isEmpty());
        for (int p = 0; p < 4; p++) {
            String partition = T + "p-partition-" + p;
            try (Producer<String> producer =
                    ofFirst.newProducer(Schema.STRING).topic(partition).create()) {
                assertThatThrownBy(() -> ofSecond.newProducer(Schema.STRING)
                                .topic(partition)
                                .create())
                        .as("node " + nodeOf(partition))
                        .isInstanceOf(ProducerBusyException.class);
                assertThat(producer.isConnected()).isTrue();
            }
        }
    }
}
