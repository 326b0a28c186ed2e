package io.sluice.perf.result;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineUseTest {
    @Test
    void aFullMachineThatIsMostlyTheClientsIsLimitedByThem() {
        assertThat(new MachineUse(0.02, 0, 1.4, 0.5, 2, 0.7).limitedByClient()).isTrue();
        assertThat(new MachineUse(0.02, 0, 0.8, 1.1, 2, 0.7).limitedByClient()).isFalse();
        assertThat(new MachineUse(0.3, 0, 0.9, 0.4, 2, 0.7).limitedByClient()).isFalse();
    }

    @Test
    void oneThreadThatAlwaysRunsIsALimitOnAnIdleMachine() {
        assertThat(new MachineUse(0.8, 0, 1.2, 0.4, 8, 0.95).limitedByClient()).isTrue();
    }

    @Test
    void pinnedClientsAreTheLimitWhenTheirCoresAreFull() {
        assertThat(new MachineUse(0.4, 0, 0.97, 0.2, 1, 0.5).limitedByClient()).isTrue();
        assertThat(new MachineUse(0.4, 0, 0.6, 0.97, 1, 0.5).limitedByClient()).isFalse();
    }

    @Test
    void whatIsNotKnownIsNoLimit() {
        assertThat(MachineUse.UNKNOWN.limitedByClient()).isFalse();
    }
}
