package io.sluice.broker.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.balance.ContainerCountPolicy.Decision;
import io.sluice.broker.balance.ContainerCountPolicy.History;
import io.sluice.broker.balance.ContainerCountPolicy.Limits;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** In simulated time, a round each five seconds; each container is to have 100 MB/s at most. */
class ContainerCountPolicyTest {
    private static final Limits LIMITS = Limits.of(100e6, 2, 10);
    private static final long ROUND = 5_000;
    private static final long MINUTE = 60_000;

    private final ContainerCountPolicy policy = new ContainerCountPolicy(LIMITS);
    private History history = History.NONE;
    private long now = 1_000_000;
    private int count = 2;
    private int changes;

    /** The load spreads evenly over what there is. */
    private void run(long millis, double megabytes, double noise) {
        Random random = new Random(1);
        for (long end = now + millis; now < end; now += ROUND) {
            double load = 1e6 * megabytes * (1 + noise * (2 * random.nextDouble() - 1));
            take(policy.decide(Collections.nCopies(count, load / count), false, history, now));
        }
    }

    private void take(Decision decision) {
        history = decision.history();
        assertThat(decision.wanted()).isBetween(1, LIMITS.most());
        assertThat(decision.reason() == null).isEqualTo(decision.wanted() == count);
        changes += decision.wanted() == count ? 0 : 1;
        count = decision.wanted();
    }

    @Test
    void muchLoadAddsContainersWithinAMinuteAndAtOnceAsManyAsItTakes() {
        run(MINUTE, 400, 0.1);
        assertThat(count).isBetween(7, 8);
        assertThat(changes).isEqualTo(1);
        run(60 * MINUTE, 400, 0.1);
        assertThat(changes).as("and then they are enough").isEqualTo(1);
    }

    @Test
    void moreLoadThanTheMostCanTakeEndsAtTheMost() {
        run(10 * MINUTE, 5_000, 0.1);
        assertThat(count).isEqualTo(10);
        assertThat(changes).isEqualTo(1);
    }

    @Test
    void littleLoadTakesThemAwayOneAtATimeDownToTheLeast() {
        count = 5;
        run(14 * MINUTE, 1, 0);
        assertThat(count).isEqualTo(5);
        run(2 * MINUTE, 1, 0);
        assertThat(count).isEqualTo(4);
        run(120 * MINUTE, 1, 0);
        assertThat(count).isEqualTo(2);
    }

    @Test
    void nothingIsTakenAwayWhileOthersLeave() {
        count = 5;
        for (int round = 0; round < 1_000; round++, now += ROUND) {
            take(policy.decide(Collections.nCopies(count, 0.0), true, history, now));
        }
        assertThat(count).isEqualTo(5);
    }

    @Test
    void aPeakIsNoReasonAndAPauseNeither() {
        count = 4;
        run(20_000, 380, 0);
        run(MINUTE, 200, 0);
        run(20_000, 380, 0);
        run(10 * MINUTE, 10, 0);
        run(MINUTE, 200, 0);
        run(10 * MINUTE, 10, 0);
        assertThat(changes).isZero();
    }

    @Test
    void loadThatIsNoisyOrChangesByTheHourDoesNotSwing() {
        count = 4;
        run(24 * 60 * MINUTE, 200, 0.5);
        assertThat(changes).isZero();
        for (int hour = 0; hour < 24; hour++) {
            run(60 * MINUTE, hour % 2 == 0 ? 250 : 150, 0.2);
        }
        assertThat(changes).isZero();
    }

    @Test
    void whatItAddedItDoesNotTakeAwayForTheSameLoad() {
        for (double load = 20; load < 1_200; load *= 1.05) {
            count = 2;
            history = History.NONE;
            run(2 * MINUTE, load, 0);
            int risen = count;
            run(120 * MINUTE, load, 0);
            assertThat(count).as("at %.0f MB/s", load).isEqualTo(risen);
        }
    }

    @Test
    void limitsThatCannotBeAreRefused() {
        for (List<Number> bad : List.<List<Number>>of(List.of(0, 1, 2), List.of(1, 0, 2), List.of(1, 3, 2))) {
            assertThatThrownBy(() -> Limits.of(
                            bad.get(0).doubleValue(),
                            bad.get(1).intValue(),
                            bad.get(2).intValue()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
