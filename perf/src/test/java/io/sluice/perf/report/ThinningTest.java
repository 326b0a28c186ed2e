package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ThinningTest {
    @Test
    void keepsEverythingThatFits() {
        assertThat(Thinning.to(5, 5).of(List.of(1, 2, 3, 4, 5))).containsExactly(1, 2, 3, 4, 5);
        assertThat(Thinning.to(5, 5).note()).isEmpty();
    }

    @Test
    void keepsTheFirstAndTheLast() {
        assertThat(Thinning.to(3, 8).of(List.of(1, 2, 3, 4, 5, 6, 7, 8))).containsExactly(1, 4, 7, 8);
        assertThat(Thinning.to(3, 8).note()).contains("3");
    }

    @Test
    void nothingStaysNothing() {
        assertThat(Thinning.to(3, 0).of(List.of())).isEmpty();
    }
}
