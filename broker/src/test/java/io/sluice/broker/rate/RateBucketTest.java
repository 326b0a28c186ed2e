package io.sluice.broker.rate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateBucketTest {
    private static RateBucket bucket(long messages, long bytes, int seconds) {
        return new RateBucket(new Rate(messages, bytes, seconds, false), null, 0);
    }

    @Test
    void aPeriodsWorthGoesAtOnce() {
        RateBucket bucket = bucket(10, 0, 2);
        bucket.take(9, 1 << 20, 0);
        assertThat(bucket.waitMillis(0)).isZero();
        bucket.take(1, 1 << 20, 0);
        assertThat(bucket.waitMillis(0)).isEqualTo(200);
        assertThat(bucket.waitMillis(200)).isZero();
    }

    @Test
    void aDebtIsWaitedFor() {
        RateBucket bucket = bucket(100, 0, 1);
        bucket.take(200, 0, 0);
        assertThat(bucket.waitMillis(0)).isEqualTo(1_010);
        bucket.take(100, 0, 500);
        assertThat(bucket.waitMillis(500)).isEqualTo(1_510);
    }

    @Test
    void neverHoldsMoreThanAPeriod() {
        RateBucket bucket = bucket(10, 0, 1);
        bucket.take(10, 0, 100_000);
        assertThat(bucket.waitMillis(100_000)).isEqualTo(100);
    }

    @Test
    void theLimitThatIsReachedFirstCounts() {
        RateBucket bucket = bucket(1_000, 100, 1);
        bucket.take(1, 200, 0);
        assertThat(bucket.waitMillis(0)).isEqualTo(1_010);
        assertThat(bucket.room(10, 1_000, 2_000)).isEqualTo(100);
    }

    @Test
    void aRelativeRateComesOnTop() {
        RateBucket bucket = new RateBucket(
                new Rate(10, 0, 1, true),
                new RateBucket.Base() {
                    @Override
                    public double messages() {
                        return 90;
                    }

                    @Override
                    public double bytes() {
                        return 0;
                    }
                },
                0);
        bucket.take(100, 0, 0);
        assertThat(bucket.waitMillis(0)).isEqualTo(10);
    }
}
