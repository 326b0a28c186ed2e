package io.sluice.broker.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.scaling.KeepTopicsScaled.Range;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangesOverTimeTest {
    private final RangesOverTime ranges = new RangesOverTime();

    private static Range range(int start, int end, int container) {
        return new Range(new IndexRange(start, end), container, Flow.NONE);
    }

    private static RangeLife life(int start, int end, int container, long from, long to) {
        return new RangeLife(new IndexRange(start, end), container, from, to);
    }

    @Test
    void rangesComeAndGo() {
        ranges.seen(List.of(range(0, 63, 1)), 10);
        ranges.seen(List.of(range(0, 63, 1)), 20);
        ranges.seen(List.of(range(0, 31, 1), range(32, 63, 2)), 30);
        ranges.seen(List.of(range(0, 31, 1), range(32, 63, 3)), 40);

        assertThat(ranges.all())
                .containsExactly(
                        life(0, 63, 1, 10, 30),
                        life(32, 63, 2, 30, 40),
                        life(0, 31, 1, 30, RangeLife.STILL_THERE),
                        life(32, 63, 3, 40, RangeLife.STILL_THERE));
    }

    @Test
    void theOldestAreForgotten() {
        for (int i = 0; i <= RangesOverTime.MOST_GONE + 2; i++) {
            ranges.seen(List.of(range(0, 63, i)), i);
        }

        assertThat(ranges.all()).hasSize(RangesOverTime.MOST_GONE + 1);
        assertThat(ranges.all().getFirst()).isEqualTo(life(0, 63, 2, 2, 3));
        assertThat(ranges.all().getLast().to()).isEqualTo(RangeLife.STILL_THERE);
    }
}
