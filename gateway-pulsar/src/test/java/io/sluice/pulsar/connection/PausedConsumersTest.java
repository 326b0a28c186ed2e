package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.broker.access.Principal;
import io.sluice.broker.quota.ClientRates;
import io.sluice.broker.quota.QuotaEntity;
import io.sluice.broker.quota.QuotaKey;
import io.sluice.broker.quota.QuotaSource;
import io.sluice.pulsar.SilentOutlet;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.ConsumerIdentity;
import io.sluice.pulsar.metrics.PulsarMeters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PausedConsumersTest {
    private static final int LIMIT = 1_000;

    private final EmbeddedChannel channel = frozen();
    private final Outbox outbox = new Outbox(channel, LIMIT, this::flushed);
    private final Fixed quotas = new Fixed();
    private long nanos;
    private final ConnectionRates rates = new ConnectionRates(
            new ClientRates(quotas, () -> nanos),
            () -> Principal.ANONYMOUS,
            new PulsarMeters(new SimpleMeterRegistry()));
    private final DeliveryHold hold = new DeliveryHold(channel, rates, this::flushed);
    private final PausedConsumers paused = new PausedConsumers(outbox, hold);
    private final Consumer consumer =
            new Consumer(new ConsumerIdentity(1, "c", 0, List.of(), Map.of()), new SilentOutlet(), -1, 0);

    private static EmbeddedChannel frozen() {
        EmbeddedChannel made = new EmbeddedChannel();
        made.freezeTime();
        return made;
    }

    /** A quota of the user. */
    private static final class Fixed implements QuotaSource {
        private @Nullable Long limit;

        @Override
        public boolean hasAny(QuotaKey key) {
            return limit != null;
        }

        @Override
        public @Nullable Long limit(QuotaEntity entity, QuotaKey key) {
            return limit;
        }
    }

    private void flushed() {
        channel.flush();
        paused.resumeNext();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void aConsumerIsPausedWhileTheOutboxIsFullAndResumedWhenItWasFlushed() {
        assertThat(paused.ready(consumer)).isTrue();
        outbox.add(Unpooled.wrappedBuffer(new byte[LIMIT]));
        assertThat(paused.ready(consumer)).isFalse();
        assertThat(consumer.pause()).as("is paused already").isFalse();

        channel.runPendingTasks();
        assertThat(consumer.pause()).as("was resumed").isTrue();
        assertThat(paused.ready(consumer)).isTrue();
    }

    @Test
    void aConsumerIsPausedWhileItsUserIsOverTheQuotaAndResumedWhenItIsNot() {
        quotas.limit = 1_000L;
        hold.sent(1_000);
        assertThat(hold.isOn()).isTrue();
        hold.sent(2_000);
        assertThat(paused.ready(consumer)).isFalse();
        assertThat(consumer.pause()).as("is paused already").isFalse();

        pass(Duration.ofMillis(1_500));
        assertThat(paused.ready(consumer)).isFalse();
        pass(Duration.ofMillis(1_500));
        assertThat(hold.isOn()).isFalse();
        assertThat(consumer.pause()).as("was resumed").isTrue();
        assertThat(paused.ready(consumer)).isTrue();
    }

    @Test
    void aQuotaThatIsTakenAwayHoldsNobodyForLong() {
        quotas.limit = 1L;
        hold.sent(1_000_000);
        quotas.limit = null;
        pass(Duration.ofMillis(500));
        assertThat(paused.ready(consumer)).isTrue();
    }

    /** In steps, as looks are. */
    private void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 100) {
            nanos += TimeUnit.MILLISECONDS.toNanos(100);
            channel.advanceTimeBy(100, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }
}
