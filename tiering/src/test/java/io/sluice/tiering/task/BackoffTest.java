package io.sluice.tiering.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class BackoffTest {
    @Test
    void doublesUpToItsBoundWithJitterBelow() {
        SplittableRandom random = new SplittableRandom(1);
        Backoff backoff = new Backoff(200, 30_000);
        for (int failures : new int[] {1, 2, 3, 8, 9, 64, 1000, Integer.MAX_VALUE}) {
            long full = failures > 8 ? 30_000 : Math.min(30_000, 200L << (failures - 1));
            for (int i = 0; i < 100; i++) {
                assertThat(backoff.pauseMillis(failures, random)).isBetween(full / 2, full);
            }
        }
    }
}
