package io.sluice.perf.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OverheadTest {
    @Test
    void fullBlocksCostTheirTableOnly() {
        assertThat(Overhead.ofWhole(100 << 10).percent()).isLessThanOrEqualTo(0.2);
        assertThat(Overhead.ofGrown(10 << 10).percent()).isLessThanOrEqualTo(0.2);
    }

    @Test
    void lastBlocksThatNeverFillAreCounted() {
        // 10 KiB are two and a half blocks of 4 KiB, and a buffer's table is one block in 512.
        assertThat(Overhead.ofWhole(10 << 10).percent()).isBetween(20.0, 20.3);
    }
}
