package io.sluice.perf.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RandomPlanTest {
    private static final int OPERATIONS = 100_000;

    private final RandomPlan plan = RandomPlan.of(OPERATIONS);

    @Test
    void insertsSixtyPercentAndDeletesOnlyWhatIsThere() {
        var watched = new Watched();
        plan.run(watched, new Payload(1));
        assertThat(watched.inserts).isBetween(59_000, 61_000);
        assertThat(watched.deletes).isEqualTo(OPERATIONS - watched.inserts);
        assertThat(plan.room(1)).isEqualTo(new Room(watched.inserts, watched.peak, 1));
    }

    private static final class Watched implements CacheUnderTest {
        private final Set<Integer> live = new HashSet<>();
        private int inserts;
        private int deletes;
        private int peak;

        @Override
        public void insert(int key, byte[] source, int offset, int length) {
            assertThat(live.add(key)).isTrue();
            inserts++;
            peak = Math.max(peak, live.size());
        }

        @Override
        public int get(int key, byte[] destination) {
            throw new UnsupportedOperationException("the plan reads nothing");
        }

        @Override
        public void delete(int key) {
            assertThat(live.remove(key)).isTrue();
            deletes++;
        }

        @Override
        public void clear() {
            live.clear();
        }

        @Override
        public void close() {}
    }
}
