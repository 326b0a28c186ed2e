package io.sluice.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random changes against a set of bits. */
class OffsetRangesModelTest {
    private static final int OFFSETS = 300;
    private static final int STEPS = 3_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void holdsWhatWasAddedAndCountsIt(long seed) {
        Random random = new Random(seed);
        OffsetRanges ranges = new OffsetRanges();
        BitSet model = new BitSet();
        for (int step = 0; step < STEPS; step++) {
            int first = random.nextInt(OFFSETS);
            int last = Math.min(OFFSETS - 1, first + random.nextInt(6));
            switch (random.nextInt(40)) {
                case 0 -> {
                    ranges.removeBelow(first);
                    model.clear(0, first);
                }
                case 1 -> {
                    ranges.clear();
                    model.clear();
                }
                default -> {
                    ranges.add(first, last);
                    model.set(first, last + 1);
                }
            }
            int asked = random.nextInt(OFFSETS);
            int next = model.nextSetBit(asked);
            assertThat(ranges.count()).isEqualTo(model.cardinality());
            assertThat(ranges.contains(asked)).isEqualTo(model.get(asked));
            assertThat(ranges.after(asked)).isEqualTo(model.nextClearBit(asked));
            assertThat(ranges.next(asked)).isEqualTo(next < 0 ? Long.MAX_VALUE : next);
        }
    }
}
