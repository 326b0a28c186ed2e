package io.sluice.pulsar.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.junit.jupiter.api.Test;

class RedeliveryTest {
    private final List<String> redelivered = new ArrayList<>();
    private long now;
    private Runnable task = () -> {};

    private Redelivery redelivery(long ackTimeout, long delay) {
        return new Redelivery(ackTimeout, delay, () -> now, this::later, this::redeliver);
    }

    private Future<?> later(Runnable next, long millis) {
        task = next;
        return new CompletableFuture<>();
    }

    private void redeliver(long consumer, List<MessageIdData> ids) {
        ids.forEach(id -> redelivered.add(consumer + "/" + id.getLedgerId() + ":" + id.getEntryId()));
    }

    private void at(long millis) {
        now = millis;
        Runnable next = task;
        task = () -> {};
        next.run();
    }

    @Test
    void redeliversWhatIsRefusedAfterTheDelay() {
        Redelivery redelivery = redelivery(0, 500);
        redelivery.refused(1, 2, 3);
        at(499);
        assertThat(redelivered).isEmpty();
        at(500);
        assertThat(redelivered).containsExactly("1/2:3");
        at(5_000);
        assertThat(redelivered).hasSize(1);
    }

    @Test
    void redeliversABatchOfWhichAMessageIsLeft() {
        Redelivery redelivery = redelivery(1_000, 500);
        redelivery.delivered(0, 7, 1, 2);
        redelivery.delivered(0, 7, 3, 2);
        redelivery.acknowledged(0, 7, 1, 0);
        redelivery.acknowledged(0, 7, 1, 0);
        redelivery.acknowledged(0, 7, 3, 0);
        redelivery.acknowledged(0, 7, 3, 1);
        at(1_000);
        assertThat(redelivered).containsExactly("0/7:1");
    }

    @Test
    void whatIsRefusedIsNotLateAsWell() {
        Redelivery redelivery = redelivery(1_000, 5_000);
        redelivery.delivered(0, 7, 1, 1);
        redelivery.refused(0, 7, 1);
        at(1_000);
        assertThat(redelivered).isEmpty();
        at(5_000);
        assertThat(redelivered).containsExactly("0/7:1");
    }

    @Test
    void boundsWhatItKeepsInMind() {
        Redelivery redelivery = redelivery(0, 1_000_000);
        for (int i = 0; i < 50_001; i++) {
            redelivery.refused(0, 1, i);
        }
        assertThat(redelivered).containsExactly("0/1:0");
    }

    @Test
    void forgetsAllWhenItStops() {
        Redelivery redelivery = redelivery(1_000, 1_000);
        redelivery.delivered(0, 7, 1, 1);
        redelivery.refused(0, 7, 2);
        redelivery.stop();
        at(9_000);
        assertThat(redelivered).isEmpty();
    }
}
