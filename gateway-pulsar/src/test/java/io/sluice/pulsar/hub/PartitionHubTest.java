package io.sluice.pulsar.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.TestBroker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.SilentOutlet;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.ConsumerIdentity;
import io.sluice.pulsar.dispatch.DispatchServices;
import io.sluice.pulsar.dispatch.SubscribeReply;
import io.sluice.pulsar.dispatch.SubscribeRequest;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.store.segment.Durable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.ProducerAccessMode;
import org.apache.pulsar.common.api.proto.ServerError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class PartitionHubTest {
    private final Hubs hubs = new Hubs(new DispatchServices(
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

    private Consumer subscribe(PartitionHub hub) {
        return subscribe(hub, "s", true);
    }

    private Consumer subscribe(PartitionHub hub, String subscription, boolean durable) {
        Consumer consumer =
                new Consumer(new ConsumerIdentity(1, "c", 0, List.of(), Map.of()), new SilentOutlet(), -1, 0);
        var request = new SubscribeRequest(subscription, SubType.Shared, durable, null, true, false, false, Map.of());
        hub.subscriptions().subscribe(request, consumer, new SubscribeReply() {
            @Override
            public void subscribed(Subscription subscription) {
                answers.add("subscribed");
            }

            @Override
            public void refused(ServerError error, String message) {
                answers.add(error.name());
            }
        });
        return consumer;
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

    @Test
    void consumersThatComeAndGoAndReadersThatSeekLeaveNoTimers() {
        try (TestBroker broker = TestBroker.start(() -> 0)) {
            broker.createTopic(TopicName.ofDefault("t"), 1, false);
            PartitionLog log = broker.partition("t", 0);
            PartitionHub hub = broker.onLoop(log, () -> hubs.on(log, "t", -1));
            for (int round = 0; round < 50; round++) {
                Consumer consumer = broker.onLoop(log, () -> subscribe(hub));
                Consumer reader = broker.onLoop(log, () -> {
                    subscribe(hub, "reader", false);
                    Objects.requireNonNull(hub.subscriptions().connected("reader"))
                            .seek(0, Durable.IGNORED);
                    return subscribe(hub, "reader", false);
                });
                assertThat(timers(broker, log)).as("introductions of the two").isLessThanOrEqualTo(2);
                broker.onLoop(log, () -> {
                    consumer.leave();
                    reader.leave();
                    return null;
                });
            }
            assertThat(answers).hasSize(150).containsOnly("subscribed");
            assertThat(timers(broker, log)).isZero();
        }
    }

    /** It waits for a minute for its reader; nobody else does. */
    @Test
    void aReadersSubscriptionIsForgottenAMinuteAfterItsLastSeek() {
        AtomicLong now = new AtomicLong();
        try (TestBroker broker = TestBroker.start(now::get)) {
            broker.createTopic(TopicName.ofDefault("t"), 1, false);
            PartitionLog log = broker.partition("t", 0);
            PartitionHub hub = broker.onLoop(log, () -> hubs.on(log, "t", -1));
            broker.onLoop(log, () -> {
                subscribe(hub, "reader", false);
                Objects.requireNonNull(hub.subscriptions().connected("reader")).seek(0, Durable.IGNORED);
                return null;
            });
            now.addAndGet(59_000);
            broker.onLoop(log, () -> {
                subscribe(hub, "reader", false);
                Objects.requireNonNull(hub.subscriptions().connected("reader")).seek(0, Durable.IGNORED);
                return null;
            });
            now.addAndGet(59_000);
            broker.onLoop(log, () -> null);
            assertThat(broker.<Boolean>onLoop(log, () -> hub.subscriptions().connected("reader") != null))
                    .as("a minute after the first seek, but not after the second")
                    .isTrue();
            now.addAndGet(2_000);
            await().until(() ->
                    broker.<Boolean>onLoop(log, () -> hub.subscriptions().connected("reader") == null));
            assertThat(timers(broker, log)).isZero();
        }
    }

    private static int timers(TestBroker broker, PartitionLog log) {
        int container = log.container().id();
        return broker.onLoop(log, () -> broker.containers().get(container).timers());
    }
}
