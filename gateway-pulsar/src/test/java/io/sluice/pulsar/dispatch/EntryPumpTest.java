package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.MustAppend;
import io.sluice.pulsar.SilentOutlet;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.wire.OutFrame;
import io.sluice.store.segment.Durable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class EntryPumpTest {
    private static final int ENTRY = 64 << 10;
    /** Four turns of the pump. */
    private static final int ENTRIES = 4 * (2 << 20) / ENTRY;

    private static final class CountingOutlet extends SilentOutlet {
        int frames;

        @Override
        public void send(OutFrame frame) {
            frames++;
            super.send(frame);
        }
    }

    private static final class Appended extends MustAppend {
        private final CountDownLatch done;

        Appended(CountDownLatch done) {
            this.done = done;
        }

        @Override
        public void appended(long baseOffset, long lastOffset) {
            done.countDown();
        }
    }

    private record TakingAll(Consumer consumer) implements SubscribeReply {
        @Override
        public void subscribed(Subscription subscription) {
            subscription.flow(consumer, ENTRIES);
        }

        @Override
        public void refused(ServerError error, String message) {
            throw new AssertionError(message);
        }
    }

    /** A turn that ends because its share is used up is followed by another, and that by another. */
    @Test
    void aConsumerThatTakesEverythingIsSentManyTurnsInARow() throws Exception {
        Hubs hubs = new Hubs(new DispatchServices(
                PooledByteBufAllocator.DEFAULT, Limits.DEFAULTS, new PulsarMeters(new SimpleMeterRegistry())));
        CountingOutlet outlet = new CountingOutlet();
        Consumer consumer = new Consumer(new ConsumerIdentity(1, "c", 0, List.of(), Map.of()), outlet, -1, 0);
        try (TestBroker broker = TestBroker.start()) {
            broker.createTopic("t", 1);
            PartitionLog log = broker.partition("t", 0);
            CountDownLatch appended = new CountDownLatch(ENTRIES);
            broker.onLoop(log, () -> {
                for (int i = 0; i < ENTRIES; i++) {
                    log.append(TestEntries.pulsar(-1, i, 1, ENTRY, 1), new Appended(appended));
                }
                return null;
            });
            appended.await();
            broker.onLoop(log, () -> {
                var request = new SubscribeRequest("s", SubType.Exclusive, true, null, true, false, false, Map.of());
                hubs.on(log, "t", 0).subscriptions().subscribe(request, consumer, new TakingAll(consumer));
                return null;
            });
            // each turn queues the next one behind what waits for the loop
            for (int turn = 0; turn < ENTRIES; turn++) {
                broker.onLoop(log, () -> null);
            }
            assertThat(outlet.frames).isEqualTo(ENTRIES);
        }
    }

    /** As a compacted partition has them. A cursor that waited for somebody to acknowledge them would stand still. */
    @ParameterizedTest
    @EnumSource(
            value = SubType.class,
            names = {"Exclusive", "Shared"})
    void offsetsThatAreMissingCountAsAcknowledged(SubType type) {
        Hubs hubs = new Hubs(new DispatchServices(
                PooledByteBufAllocator.DEFAULT, Limits.DEFAULTS, new PulsarMeters(new SimpleMeterRegistry())));
        CountingOutlet outlet = new CountingOutlet();
        Consumer consumer = new Consumer(new ConsumerIdentity(1, "c", 0, List.of(), Map.of()), outlet, -1, 0);
        try (TestBroker broker = TestBroker.start()) {
            broker.createTopic("t", 1);
            PartitionLog log = broker.partition("t", 0);
            broker.onLoop(log, () -> {
                for (int offset : new int[] {0, 10, 11, 20}) {
                    ByteBuf entry = TestEntries.pulsar(-1, offset, 1, 100, 1);
                    EntryHeader.assign(entry, 0, offset, 1);
                    entry.setShort(21, 1); // not a chunk
                    log.container().append(log.partitionId(), entry, Durable.IGNORED);
                    entry.release();
                }
                return null;
            });
            broker.onLoop(log, () -> {
                var request = new SubscribeRequest("s", type, true, null, true, false, false, Map.of());
                hubs.on(log, "t", 0).subscriptions().subscribe(request, consumer, new TakingAll(consumer));
                return null;
            });
            for (int turn = 0; turn < 10; turn++) {
                broker.onLoop(log, () -> null);
            }
            assertThat(outlet.frames).isPositive();
            Cursor cursor = Objects.requireNonNull(log.subscriptions().find("s"));
            assertThat(broker.onLoop(log, cursor::ackedAbove)).isEqualTo(9 + 8);
            broker.onLoop(log, () -> {
                cursor.ack(0, 0, Durable.IGNORED);
                cursor.ack(10, 11, Durable.IGNORED);
                return null;
            });
            assertThat(broker.onLoop(log, cursor::ackedBelow)).isEqualTo(20);
        }
    }

    private record TakingOne(Consumer consumer, AtomicReference<Subscription> joined) implements SubscribeReply {
        @Override
        public void subscribed(Subscription subscription) {
            joined.set(subscription);
            subscription.flow(consumer, 1);
        }

        @Override
        public void refused(ServerError error, String message) {
            throw new AssertionError(message);
        }
    }

    private static boolean holdsOne(@Nullable Subscription subscription) {
        return subscription != null && subscription.outstanding.size() == 1;
    }

    /** A subscription to which its consumer gave back a batch of five. */
    private static Subscription givenBack(TestBroker broker, PartitionLog log) {
        Hubs hubs = new Hubs(new DispatchServices(
                PooledByteBufAllocator.DEFAULT, Limits.DEFAULTS, new PulsarMeters(new SimpleMeterRegistry())));
        Consumer consumer =
                new Consumer(new ConsumerIdentity(1, "c", 0, List.of(), Map.of()), new CountingOutlet(), -1, 0);
        AtomicReference<Subscription> joined = new AtomicReference<>();
        broker.onLoop(log, () -> {
            ByteBuf batch = TestEntries.pulsar(-1, 0, 5, 100, 1);
            log.container().append(log.partitionId(), batch, Durable.IGNORED);
            batch.release();
            var request = new SubscribeRequest("s", SubType.Shared, true, null, true, false, false, Map.of());
            hubs.on(log, "t", 0).subscriptions().subscribe(request, consumer, new TakingOne(consumer, joined));
            return null;
        });
        await().until(() -> broker.onLoop(log, () -> holdsOne(joined.get())));
        Subscription subscription = Objects.requireNonNull(joined.get());
        broker.onLoop(log, () -> {
            subscription.redeliver(consumer, List.of(0L), -1);
            return null;
        });
        return subscription;
    }

    /** A batch that waits to be sent again may be compacted meanwhile: waiting for its old form, the subscription would stand still. */
    @ParameterizedTest
    @ValueSource(longs = {0, 3})
    void whatIsLeftOfABatchThatWasHandedOutIsReadAnew(long left) {
        try (TestBroker broker = TestBroker.start()) {
            broker.createTopic("t", 1);
            PartitionLog log = broker.partition("t", 0);
            Subscription subscription = givenBack(broker, log);
            broker.onLoop(log, () -> {
                ByteBuf one = TestEntries.pulsar(-1, 0, 1, 100, 1);
                EntryHeader.assign(one, 0, left, 1);
                assertThat(subscription.offer(one, 0, left, 1)).isFalse();
                one.release();
                assertThat(subscription.readOffset).isZero();
                assertThat(subscription.outstanding.size()).isZero();
                return null;
            });
        }
    }

    /** The same where nothing is left of it. */
    @Test
    void aBatchThatIsGoneIsNotSentAgain() {
        try (TestBroker broker = TestBroker.start()) {
            broker.createTopic("t", 1);
            PartitionLog log = broker.partition("t", 0);
            Subscription subscription = givenBack(broker, log);
            broker.onLoop(log, () -> {
                subscription.outstanding.passMissing(0, 5);
                assertThat(subscription.outstanding.size()).isZero();
                subscription.flow(subscription.consumers.getFirst(), 10);
                assertThat(subscription.wanted()).isEqualTo(5);
                return null;
            });
        }
    }
}
