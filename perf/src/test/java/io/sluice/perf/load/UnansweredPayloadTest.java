package io.sluice.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UnansweredPayloadTest {
    private static final int MOST = 1_000;

    /** The record that finds it full is sent when enough of the others were answered. */
    @Test
    void noMoreIsSentThanTheLimitUntilAnswersCome() throws Exception {
        var inFlight = new UnansweredPayload(MOST);
        var sent = new AtomicInteger();
        var full = new CountDownLatch(MOST / 100);
        Thread producer = Thread.ofPlatform().daemon().start(() -> {
            for (int n = 0; n < 20; n++) {
                inFlight.add(100, () -> false);
                sent.incrementAndGet();
                full.countDown();
            }
        });
        assertThat(full.await(30, TimeUnit.SECONDS)).isTrue();
        for (int answers = 1; answers <= 11; answers++) {
            assertThat(sent.get()).isLessThanOrEqualTo(10 + answers - 1);
            inFlight.remove(100);
        }
        assertThat(producer.join(Duration.ofSeconds(30))).isTrue();
        assertThat(sent.get()).isEqualTo(20);
    }

    @Test
    void aRecordLargerThanTheLimitGoesAlone() {
        var inFlight = new UnansweredPayload(MOST);
        inFlight.add(5 * MOST, () -> false);
        inFlight.remove(5 * MOST);
        inFlight.add(5 * MOST, () -> false);
    }

    @Test
    void whoStopsDoesNotWait() {
        var inFlight = new UnansweredPayload(MOST);
        inFlight.add(MOST, () -> false);
        inFlight.add(MOST, () -> true);
    }
}
