package io.sluice.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.entry.ProducerIds;
import org.junit.jupiter.api.Test;

class LatestCoordinatorsTest {
    private final LatestCoordinators coordinators = new LatestCoordinators();

    @Test
    void endsOfAnEarlierCoordinatorComeTooLate() {
        assertThat(coordinators.isLatest(1, 5)).isTrue();
        assertThat(coordinators.isLatest(1, 5)).isTrue();
        assertThat(coordinators.isLatest(1, 6)).isTrue();
        assertThat(coordinators.isLatest(1, 5)).isFalse();
        assertThat(coordinators.isLatest(1, 6)).isTrue();
        assertThat(coordinators.isLatest(2, 5)).isTrue();
    }

    @Test
    void anIdThatServesOneTransactionNeedsNone() {
        long single = ProducerIds.single(7);
        assertThat(coordinators.isLatest(single, 6)).isTrue();
        assertThat(coordinators.isLatest(single, 5)).isTrue();
    }

    @Test
    void theProducerHeardOfLongestAgoIsForgotten() {
        coordinators.isLatest(0, 5);
        coordinators.isLatest(1, 5);
        for (long producer = 2; producer < LatestCoordinators.MOST_PRODUCERS; producer++) {
            coordinators.isLatest(producer, 5);
        }
        coordinators.isLatest(0, 5);
        coordinators.isLatest(LatestCoordinators.MOST_PRODUCERS, 5);
        assertThat(coordinators.isLatest(0, 4)).isFalse();
        assertThat(coordinators.isLatest(1, 4)).isTrue();
    }
}
