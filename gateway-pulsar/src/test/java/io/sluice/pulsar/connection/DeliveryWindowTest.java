package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client that reads at some rate, some way away, in simulated time; what is sent is as much as there is room for. */
class DeliveryWindowTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final int MESSAGE = 16 << 10;
    /** What sockets take at most. */
    private static final int SOCKETS = 32 << 20;

    private final DeliveryWindow window = new DeliveryWindow();

    /** {@code atByte} of what was sent is a ping. */
    private record Sent(long atByte) {}

    private final ArrayDeque<Sent> pings = new ArrayDeque<>();
    private final ArrayDeque<Long> pongs = new ArrayDeque<>();
    private long now = SECOND;
    private long sent;
    private double read;
    private long most;
    /** Bytes published per byte read, while it publishes. */
    private double publishes;

    /** It publishes so long, and then not, and so on. */
    private long bursts = Long.MAX_VALUE;

    @BeforeEach
    void hasAProducer() {
        window.publisher(true);
    }

    /** Runs for so long; {@code rate} in bytes per second, {@code away} there and back. */
    private void run(long nanos, double rate, long away) {
        long step = MILLI / 10;
        most = 0;
        for (long end = now + nanos; now < end; now += step) {
            while (window.room(0) > 0 && sent - read < SOCKETS) {
                sent += MESSAGE;
                if (window.wrote(MESSAGE)) {
                    window.pinged(now, 0);
                    pings.add(new Sent(sent));
                }
            }
            most = Math.max(most, sent - (long) read);
            double more = Math.min(sent - read, rate * step / SECOND);
            read += more;
            if (now / bursts % 2 == 0) {
                window.published((int) (more * publishes));
            }
            while (!pings.isEmpty() && pings.peek().atByte <= read) {
                pings.remove();
                pongs.add(now + away);
            }
            while (!pongs.isEmpty() && pongs.peek() <= now) {
                pongs.remove();
                if (window.ponged(now)) {
                    window.pinged(now, 0);
                    pings.add(new Sent(sent));
                }
            }
        }
    }

    private double readInASecond(double rate, long away) {
        double before = read;
        run(SECOND, rate, away);
        return read - before;
    }

    @Test
    void whoReadsSlowerThanIsSentHasAFewMillisecondsOfItUnderWay() {
        run(2 * SECOND, 300e6, MILLI / 5);
        assertThat(readInASecond(300e6, MILLI / 5)).isGreaterThan(0.95 * 300e6);
        assertThat(most).isLessThan((long) (300e6 * 0.010));
    }

    @Test
    void whoIsFarAwayIsNotHeldBack() {
        run(5 * SECOND, 100e6, 80 * MILLI);
        assertThat(readInASecond(100e6, 80 * MILLI)).isGreaterThan(0.95 * 100e6);
    }

    @Test
    void whoBecomesSlowHasLessUnderWay() {
        run(2 * SECOND, 300e6, MILLI / 5);
        run(2 * SECOND, 20e6, MILLI / 5);
        run(SECOND, 20e6, MILLI / 5);
        assertThat(most).isLessThanOrEqualTo(DeliveryWindow.LEAST + MESSAGE);
    }

    @Test
    void whoPublishesAsMuchAsItReadsIsNotHeldBack() {
        publishes = 1;
        run(2 * SECOND, 20e6, MILLI / 5);
        assertThat(most).isGreaterThan(SOCKETS - MESSAGE);
        publishes = 0.1;
        run(8 * SECOND, 20e6, MILLI / 5);
        run(SECOND, 20e6, MILLI / 5);
        assertThat(most).isLessThanOrEqualTo(DeliveryWindow.LEAST + MESSAGE);
    }

    @Test
    void whoPublishesInBurstsIsNotHeldBackBetweenThem() {
        publishes = 2;
        bursts = 50 * MILLI;
        run(2 * SECOND, 20e6, MILLI / 5);
        double least = SOCKETS;
        for (int i = 0; i < 1_000; i++) {
            run(MILLI, 20e6, MILLI / 5);
            least = Math.min(least, sent - read);
        }
        assertThat(least).isGreaterThan(SOCKETS - 2 * MESSAGE);
    }

    @Test
    void howFastItCouldBeIsFoundOutAnew() {
        run(2 * SECOND, 100e6, MILLI / 5);
        run(61 * SECOND, 100e6, 60 * MILLI);
        run(62 * SECOND, 100e6, 60 * MILLI);
        assertThat(readInASecond(100e6, 60 * MILLI)).isGreaterThan(0.9 * 100e6);
    }

    @Test
    void whoDoesNotAnswerWaitsNoLongerThanASecond() {
        fill();
        assertThat(window.room(0)).isNotPositive();
        assertThat(window.giveUp(now + DeliveryWindow.GIVE_UP_NANOS - 1)).isFalse();
        assertThat(window.room(0)).isNotPositive();
        assertThat(window.giveUp(now + DeliveryWindow.GIVE_UP_NANOS)).isTrue();
        assertThat(window.room(Integer.MAX_VALUE)).isPositive();
        window.ponged(now + 2 * SECOND);
        assertThat(window.room(DeliveryWindow.LEAST)).isNotPositive();
    }

    @Test
    void whoNeverAnswersGetsEverythingAndItsPingsAreCounted() {
        fill();
        window.giveUp(now + DeliveryWindow.GIVE_UP_NANOS);
        for (int i = 0; i < 100_000; i++) {
            assertThat(window.wrote(MESSAGE)).isFalse();
        }
        assertThat(window.room(0)).isPositive();
        int noted = pings.size();
        for (int i = 0; i < 10; i++) {
            window.pinged(now, 0); // for life
        }
        for (int i = 0; i < noted + 10; i++) {
            assertThat(window.waits()).isTrue();
            window.ponged(now + 2 * SECOND);
        }
        assertThat(window.waits()).isFalse();
    }

    @Test
    void whatWaitsToBeWrittenCounts() {
        assertThat(window.room(DeliveryWindow.LEAST - 1)).isEqualTo(1);
        assertThat(window.room(DeliveryWindow.LEAST)).isNotPositive();
    }

    @Test
    void whoPublishesNothingIsNotLimited() {
        window.publisher(false);
        for (int i = 0; i < 1_000; i++) {
            assertThat(window.wrote(MESSAGE)).isFalse();
            assertThat(window.room(SOCKETS)).isPositive();
        }
    }

    @Test
    void whatWasUnderWayBeforeItPublishedDoesNotCount() {
        window.publisher(false);
        window.wrote(SOCKETS);
        window.publisher(true);
        assertThat(window.room(0)).isEqualTo(DeliveryWindow.LEAST);
    }

    @Test
    void whoPublishesNoMoreIsNotLimitedAnyMore() {
        fill();
        window.publisher(false);
        assertThat(window.room(SOCKETS)).isPositive();
        window.ponged(now);
        window.publisher(true);
        assertThat(window.room(0)).isEqualTo(DeliveryWindow.LEAST);
    }

    @Test
    void anAnswerToNothingChangesNothing() {
        window.ponged(now);
        fill();
        window.pinged(now, 0);
        assertThat(window.room(0)).isNotPositive();
    }

    private void fill() {
        while (window.room(0) > 0) {
            if (window.wrote(MESSAGE)) {
                window.pinged(now, 0);
                pings.add(new Sent(0));
            }
        }
    }
}
