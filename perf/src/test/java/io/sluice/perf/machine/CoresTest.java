package io.sluice.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CoresTest {
    @Test
    void theClientsGetOneHalfAndTheServerTheOther() {
        assertThat(Cores.split("0-1")).isEqualTo(new Cores("0", "1"));
        assertThat(Cores.split("2,4-6,9")).isEqualTo(new Cores("2,4", "5,6,9"));
    }

    @Test
    void oneCoreCannotBeShared() {
        assertThatThrownBy(() -> Cores.split("3")).hasMessageContaining("--pin wants two cores");
    }

    @Test
    void thisProcessHasCores() throws Exception {
        assertThat(Cores.allowed()).matches("\\d.*");
    }
}
