package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.pulsar.SilentOutlet;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.ConsumerIdentity;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PausedConsumersTest {
    private static final int LIMIT = 1_000;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Outbox outbox = new Outbox(channel, LIMIT, this::flushed);
    private final PausedConsumers paused = new PausedConsumers(outbox);
    private final Consumer consumer =
            new Consumer(new ConsumerIdentity(1, "c", 0, List.of(), Map.of()), new SilentOutlet(), -1, 0);

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
}
