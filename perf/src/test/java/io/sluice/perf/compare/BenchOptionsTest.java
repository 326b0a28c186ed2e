package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BenchOptionsTest {
    @Test
    void memoryIsReadAsTheLauncherReadsIt() {
        assertThat(BenchOptions.mebibytes("2g")).isEqualTo(2048);
        assertThat(BenchOptions.mebibytes("768M")).isEqualTo(768);
        assertThatThrownBy(() -> BenchOptions.mebibytes("2048")).hasMessageContaining("expected for example 2g");
    }
}
