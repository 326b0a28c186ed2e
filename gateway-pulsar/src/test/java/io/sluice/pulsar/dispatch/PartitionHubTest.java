package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.TestBroker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.metrics.PulsarMeters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.ProducerAccessMode;
import org.apache.pulsar.common.api.proto.ServerError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class PartitionHubTest {
    private final Hubs hubs = new Hubs(new HubServices(
            PooledByteBufAllocator.DEFAULT, Limits.DEFAULTS, new PulsarMeters(new SimpleMeterRegistry())));
    private final List<String> answers = new ArrayList<>();

    private void produce(PartitionHub hub) {
        var identity = new ProducerSession.Identity(1, "p", true, 0, ProducerAccessMode.Shared, -1, Map.of());
        hub.produce(new ProducerSession(identity, new SilentOutlet(), 0), new PartitionHub.ProduceReply() {
            @Override
            public void ready(long topicEpoch) {
                answers.add("ready");
            }

            @Override
            public void queued() {
                answers.add("queued");
            }

            @Override
            public void refused(ServerError error, String message) {
                answers.add(error.name());
            }
        });
    }

    private void subscribe(PartitionHub hub) {
        Consumer consumer =
                new Consumer(new Consumer.Identity(1, "c", 0, List.of(), Map.of()), new SilentOutlet(), -1, 0);
        var request = new SubscribeRequest("s", SubType.Shared, true, null, true, false, false, Map.of());
        hub.subscribe(request, consumer, new PartitionHub.SubscribeReply() {
            @Override
            public void subscribed(Subscription subscription) {
                answers.add("subscribed");
            }

            @Override
            public void refused(ServerError error, String message) {
                answers.add(error.name());
            }
        });
    }

    /** Its client looks the topic up again, and finds that it is gone. */
    @Test
    void whoeverComesAsTheTopicIsDeletedIsSentAway() {
        try (TestBroker broker = TestBroker.start()) {
            TopicName name = TopicName.ofDefault("t");
            broker.createTopic(name, 1, false);
            PartitionLog log = broker.partition("t", 0);
            broker.catalogue().delete(name).join();
            List<String> told = broker.onLoop(log, () -> {
                PartitionHub hub = hubs.on(log, name.toString(), -1);
                produce(hub);
                subscribe(hub);
                assertThat(hubs.find(log)).isNull();
                return List.copyOf(answers);
            });
            assertThat(told).containsExactly("ServiceNotReady", "ServiceNotReady");
        }
    }
}
