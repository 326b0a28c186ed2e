package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.GetStatsOptions;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What stats say of messages that are not acknowledged, and of acknowledgements. */
class StatsOfBacklogsTest extends ClientTest {
    private static final String T = "persistent://public/default/t";
    private static final GetStatsOptions TIMES = GetStatsOptions.builder()
            .getEarliestTimeInBacklog(true)
            .subscriptionBacklogSize(true)
            .build();

    private TestAdmin server;
    private PulsarAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        server = new TestAdmin(gateway);
        admin = server.client();
    }

    @AfterEach
    void stopAdmin() throws Exception {
        server.close();
    }

    @Test
    void eachSubscriptionsFirstMessageHasItsTime() throws Exception {
        for (String name : List.of("none", "some", "all")) {
            admin.topics().createSubscription(T, name, MessageId.earliest);
        }
        assertThat(admin.topics().getStats(T, TIMES).getEarliestMsgPublishTimeInBacklogs())
                .isZero();
        try (Producer<byte[]> producer =
                        client.newProducer().topic(T).enableBatching(false).create();
                Consumer<byte[]> some = subscribe("t", "some");
                Consumer<byte[]> all = subscribe("t", "all");
                Reader<byte[]> reader = client.newReader()
                        .topic(T)
                        .subscriptionName("reader")
                        .startMessageId(MessageId.earliest)
                        .create()) {
            List<Message<byte[]>> sent = new ArrayList<>();
            for (int n = 0; n < 4; n++) {
                producer.send(bytes(n));
                sent.add(all.receive(20, TimeUnit.SECONDS));
                all.acknowledge(sent.getLast());
            }
            // a gap does not move the beginning
            some.acknowledge(some.receive(20, TimeUnit.SECONDS));
            some.receive(20, TimeUnit.SECONDS);
            some.acknowledge(some.receive(20, TimeUnit.SECONDS));
            var stats = admin.topics().getStats(T, TIMES);
            var of = stats.getSubscriptions();
            long first = sent.getFirst().getPublishTime();
            assertThat(stats.getEarliestMsgPublishTimeInBacklogs()).isEqualTo(first);
            assertThat(named(of, "none").getEarliestMsgPublishTimeInBacklog()).isEqualTo(first);
            assertThat(named(of, "some").getEarliestMsgPublishTimeInBacklog())
                    .isEqualTo(sent.get(1).getPublishTime());
            assertThat(named(of, "all").getEarliestMsgPublishTimeInBacklog()).isEqualTo(-1);
            assertThat(named(of, "reader").getEarliestMsgPublishTimeInBacklog()).isEqualTo(first);
            assertThat(reader.isConnected()).isTrue();
            assertThat(named(of, "all").getMessageAckRate()).isPositive();
            assertThat(named(of, "all").getConsumers().getFirst().getMessageAckRate())
                    .isPositive();
            assertThat(named(of, "none").getMessageAckRate()).isZero();
            assertThat(named(admin.topics().getStats(T).getSubscriptions(), "none")
                            .getEarliestMsgPublishTimeInBacklog())
                    .as("not asked for")
                    .isZero();
            assertThat(named(admin.topics().getInternalStats(T).cursors, "some").individuallyDeletedMessages)
                    .matches("\\[\\(\\d+:1\\.\\.\\d+:2]]");
        }
    }

    private static <T> T named(Map<String, ? extends T> all, String name) {
        return Objects.requireNonNull(all.get(name), name);
    }

    private Consumer<byte[]> subscribe(String topic, String name) throws Exception {
        return client.newConsumer()
                .topic(topic)
                .subscriptionName(name)
                .subscriptionType(SubscriptionType.Shared)
                .isAckReceiptEnabled(true)
                .subscribe();
    }
}
