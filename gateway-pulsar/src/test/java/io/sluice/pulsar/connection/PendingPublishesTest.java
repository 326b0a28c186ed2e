package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.broker.access.Principal;
import io.sluice.broker.memory.ProtocolShare;
import io.sluice.broker.memory.RequestMemory;
import io.sluice.broker.quota.ClientRates;
import io.sluice.pulsar.metrics.PulsarMeters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PendingPublishesTest {
    private static final int MOST = 10;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ProtocolShare budget = RequestMemory.withShares(1 << 20).share();
    private final PendingPublishes publishes = new PendingPublishes(
            channel,
            budget,
            MOST,
            new ConnectionRates(
                    ClientRates.UNLIMITED, () -> Principal.ANONYMOUS, new PulsarMeters(new SimpleMeterRegistry())));

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private boolean isRead() {
        return channel.config().isAutoRead();
    }

    @Test
    void theSocketIsNotReadWhileTooManyPublishesArePendingAndAgainWhenHalfAreAnswered() {
        for (int i = 0; i < MOST; i++) {
            assertThat(isRead()).isTrue();
            publishes.addRefused();
        }
        assertThat(isRead()).isFalse();
        for (int i = 0; i < MOST / 2; i++) {
            assertThat(isRead()).isFalse();
            publishes.settled(0);
        }
        assertThat(isRead()).isTrue();
    }

    @Test
    void theSocketIsNotReadWhileThereIsNoMemory() {
        publishes.memory(false);
        assertThat(isRead()).isFalse();
        publishes.memory(true);
        assertThat(isRead()).isTrue();
    }

    @Test
    void theSocketIsNotReadWhileTheClientDoesNotTakeWhatItIsSent() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(100, 200));
        channel.write(Unpooled.wrappedBuffer(new byte[1_000]));
        publishes.updateAutoRead();
        assertThat(isRead()).isFalse();
        publishes.memory(true);
        assertThat(isRead()).as("memory alone is not enough").isFalse();

        channel.flush();
        publishes.updateAutoRead();
        assertThat(isRead()).isTrue();
    }
}
