package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.SilentOutlet;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.wire.OutFrame;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

    private record Appended(CountDownLatch done) implements AppendReply {
        @Override
        public void appended(long baseOffset, long lastOffset) {
            done.countDown();
        }

        @Override
        public void duplicate(long baseOffset, long lastOffset) {
            throw new AssertionError("duplicate");
        }

        @Override
        public void rejected(AppendRejection why) {
            throw new AssertionError(why.message());
        }

        @Override
        public void failed(StoreFailure why) {
            throw new AssertionError(why.message());
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
}
