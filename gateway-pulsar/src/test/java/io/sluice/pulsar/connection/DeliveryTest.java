package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.SilentOutlet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeliveryTest {
    private static final int LIMIT = 16 * Delivery.LEAST;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Outbox outbox = new Outbox(channel, LIMIT, _ -> {}, this::flushed);
    private final Delivery delivery = new Delivery(channel, outbox, () -> {}, () -> {});
    private final Consumer first = consumer(1);
    private final Consumer second = consumer(2);
    private final Consumer third = consumer(3);

    private static Consumer consumer(int id) {
        return new Consumer(new Consumer.Identity(id, "c" + id, 0, List.of(), Map.of()), new SilentOutlet(), -1, 0);
    }

    /** One that does not, does so from now on. */
    private static boolean stillWaits(Consumer consumer) {
        return !consumer.startWaiting();
    }

    private void flushed() {
        delivery.resume(false);
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void whatIsBeingReadCounts() {
        delivery.take(LIMIT - Delivery.LEAST + 1);
        assertThat(delivery.room()).isEqualTo(Delivery.LEAST - 1);
        assertThat(delivery.ready(first)).isFalse();
        channel.runPendingTasks();
        assertThat(stillWaits(first)).isTrue();

        delivery.giveBack(1, true);
        channel.runPendingTasks();
        assertThat(stillWaits(first)).isFalse();
        assertThat(delivery.ready(first)).isTrue();
    }

    @Test
    void whatIsSentTellsThoseWhoWait() {
        delivery.take(LIMIT);
        assertThat(delivery.ready(first)).isFalse();
        delivery.giveBack(LIMIT, false);
        channel.runPendingTasks();
        assertThat(stillWaits(first)).isTrue();
        outbox.add((Outbox.Item) () -> {});
        channel.runPendingTasks();
        assertThat(stillWaits(first)).isFalse();
    }

    @Test
    void whoComesLaterIsServedAfterThoseWhoWait() {
        delivery.take(LIMIT);
        assertThat(delivery.ready(first)).isFalse();
        delivery.giveBack(LIMIT, true);
        assertThat(delivery.ready(second)).as("while another waits").isFalse();
        channel.runPendingTasks();
        assertThat(delivery.ready(first)).isTrue();
        assertThat(delivery.ready(second)).isTrue();
        assertThat(delivery.ready(third)).as("when nobody waits").isTrue();
    }
}
