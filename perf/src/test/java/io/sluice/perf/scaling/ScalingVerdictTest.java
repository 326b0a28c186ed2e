package io.sluice.perf.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.report.ScalingPage.Course;
import io.sluice.perf.report.ScalingPage.Moment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScalingVerdictTest {
    private static final int LOADED = 100;

    private final List<Moment> moments = new ArrayList<>();

    private void seconds(int from, int to, int ranges, double busiest) {
        for (int second = from; second < to; second++) {
            moments.add(new Moment(second, ranges, Math.min(ranges, 4), busiest, 10, 1_000, 1, 2));
        }
    }

    private List<String> missing() {
        return ScalingVerdict.missing(new Course("kafka", moments), LOADED);
    }

    @Test
    void aTopicThatFollowsItsLoad() {
        seconds(0, 20, 1, 40);
        seconds(20, LOADED, 4, 10);
        seconds(LOADED, 130, 1, 0);
        assertThat(missing()).isEmpty();
    }

    @Test
    void oneThatStaysAsItIs() {
        seconds(0, 130, 1, 40);
        assertThat(missing())
                .containsExactly(
                        "it did not split",
                        "the load did not spread: the busiest container has 40.0 MB/s, at first 40.0");
    }

    @Test
    void oneThatSplitsInOnePlaceAndStaysSplit() {
        seconds(0, 20, 1, 40);
        seconds(20, 130, 4, 39);
        assertThat(missing())
                .containsExactly(
                        "the load did not spread: the busiest container has 39.0 MB/s, at first 40.0",
                        "it did not merge");
    }

    @Test
    void oneThatNobodySaw() {
        assertThat(missing()).hasSize(3);
    }
}
