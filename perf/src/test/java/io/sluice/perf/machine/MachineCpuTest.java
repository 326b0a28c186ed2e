package io.sluice.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineCpuTest {
    @Test
    void sharesAreThoseOfTheTimeBetween() {
        MachineCpu before = MachineCpu.of("cpu  100 0 100 700 50 0 0 50 0 0\ncpu0 1 2 3\n");
        MachineCpu now = MachineCpu.of("cpu  150 0 120 710 60 0 0 60 7 7\n");
        assertThat(now.idleSince(before)).isEqualTo(0.2);
        assertThat(now.stealSince(before)).isEqualTo(0.1);
    }

    @Test
    void withoutSuchAFileNothingIsKnown() {
        assertThat(MachineCpu.of("").idleSince(MachineCpu.of(""))).isNaN();
    }

    @Test
    void thisMachineSays() {
        assertThat(MachineCpu.now().all()).isPositive();
    }
}
