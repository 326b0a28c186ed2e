package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** A client that publishes whatever it may, and answers pings late. */
class PublishWindowTest {
    private static final long MILLI = 1_000_000;
    private static final int BATCH = 128 << 10;

    private final PublishWindow window = new PublishWindow();
    private final ArrayDeque<Long> pings = new ArrayDeque<>();

    private long publishWhatItMay() {
        long passed = 0;
        while (window.hasRoom()) {
            passed += BATCH;
            if (window.pass(BATCH)) {
                pings.add(window.ping());
            }
        }
        return passed;
    }

    private void answerAll(long fastestNanos) {
        while (!pings.isEmpty()) {
            window.ponged(pings.remove(), fastestNanos);
        }
    }

    @Test
    void holdsSendsUntilTheClientAnswers() {
        assertThat(publishWhatItMay()).isEqualTo(PublishWindow.LEAST);
        assertThat(window.hasRoom()).isFalse();
        window.ponged(pings.remove(), MILLI);
        assertThat(window.hasRoom()).isTrue();
    }

    @Test
    void aPingIsAlwaysOnItsWayWhileSendsAreHeld() {
        for (int round = 0; round < 100; round++) {
            publishWhatItMay();
            assertThat(pings).isNotEmpty();
            window.ponged(pings.remove(), MILLI);
        }
    }

    @Test
    void letsASendOfAnySizePassInItsTurn() {
        assertThat(window.pass(100 << 20)).isTrue();
        pings.add(window.ping());
        assertThat(window.hasRoom()).isFalse();
        answerAll(MILLI);
        assertThat(window.hasRoom()).isTrue();
    }

    @Test
    void aDistantClientHasMoreUnderWay() {
        publishWhatItMay();
        answerAll(50 * MILLI);
        assertThat(publishWhatItMay()).isEqualTo(10 * PublishWindow.LEAST);
    }

    @Test
    void evenTheMostDistantClientHasABound() {
        publishWhatItMay();
        answerAll(Long.MAX_VALUE);
        assertThat(publishWhatItMay()).isEqualTo(PublishWindow.MOST);
    }
}
