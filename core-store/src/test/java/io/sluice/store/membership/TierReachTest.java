package io.sluice.store.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TierReachTest {
    private static final Map<String, String> NOTHING = Map.of(TierReach.MISSED, "", TierReach.REACHED, "");

    private long nanos;
    private final TierReach reach = new TierReach(() -> nanos);

    private void passes(Duration time) {
        nanos += time.toNanos();
    }

    @Test
    void isMissedAfterSomeTimeWithoutAnAnswer() {
        assertThat(reach.isInDoubt(false, false)).isFalse();
        assertThat(reach.isInDoubt(true, false)).isTrue();
        reach.tried(false);
        assertThat(reach.facts(false)).isEqualTo(NOTHING);
        assertThat(reach.isInDoubt(false, false)).as("until it answers").isTrue();
        passes(TierReach.PATIENCE);
        reach.tried(false);
        assertThat(reach.facts(true)).containsEntry(TierReach.MISSED, "yes").containsEntry(TierReach.REACHED, "");
    }

    @Test
    void oneAnswerBetweenFailuresIsPatienceAnew() {
        reach.tried(false);
        passes(TierReach.PATIENCE.minusMillis(1));
        reach.tried(true);
        reach.tried(false);
        passes(Duration.ofSeconds(1));
        reach.tried(false);
        assertThat(reach.facts(false)).isEqualTo(NOTHING);
    }

    @Test
    void isMissedUntilItHasAnsweredForLong() {
        reach.tried(false);
        passes(TierReach.PATIENCE);
        reach.tried(false);
        reach.tried(true);
        passes(TierReach.HOLD.minusMillis(1));
        reach.tried(true);
        assertThat(reach.facts(false)).containsEntry(TierReach.MISSED, "yes");
        assertThat(reach.isInDoubt(false, false)).isTrue();
        passes(Duration.ofMillis(1));
        reach.tried(true);
        assertThat(reach.facts(false)).isEqualTo(NOTHING);
        assertThat(reach.isInDoubt(false, false)).isFalse();
    }

    @Test
    void saysThatItReachesWhatAnotherMisses() {
        reach.tried(true);
        assertThat(reach.facts(false)).isEqualTo(NOTHING);
        assertThat(reach.facts(true)).containsEntry(TierReach.REACHED, "yes");
        reach.tried(false);
        assertThat(reach.facts(true)).isEqualTo(NOTHING);
    }
}
