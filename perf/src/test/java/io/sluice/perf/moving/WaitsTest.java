package io.sluice.perf.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WaitsTest {
    private final Waits waits = new Waits();

    @Test
    void theLongestOfThePartitionsInQuestion() {
        waits.receipt(3, 0, 900);
        waits.open(3, 5);
        waits.receipt(2, 0, 800);
        waits.receipt(3, 100, 300);
        waits.receipt(4, 250, 350);
        waits.receipt(5, 0, 700);
        assertThat(waits.close()).isEqualTo(200);
    }

    @Test
    void withoutReceiptsNobodyKnows() {
        waits.open(0, 1);
        assertThatThrownBy(waits::close).isInstanceOf(IllegalStateException.class);
        waits.receipt(0, 0, 1);
        assertThatThrownBy(waits::close).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void percentilesAreValuesThatOccurred() {
        double[] values = {4, 1, 3, 2};
        assertThat(Cost.percentile(values, 50)).isEqualTo(2);
        assertThat(Cost.percentile(values, 99)).isEqualTo(4);
        assertThat(Cost.percentile(new double[] {7}, 50)).isEqualTo(7);
        assertThat(Cost.percentile(new double[0], 50)).isNaN();
    }
}
