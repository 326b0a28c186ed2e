package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DelayedEntriesTest {
    private static final int SEEDS = Integer.getInteger("sim.seeds", 20);

    private record Entry(long due, long base) {}

    @Test
    void keepsEntriesInTheOrderOfTheirTimes() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            DelayedEntries delayed = new DelayedEntries(new DelayMemory(1 << 20));
            List<Entry> model = new ArrayList<>();
            long now = 0;
            long end = 0;
            for (int step = 0; step < 2_000; step++) {
                switch (random.nextInt(20)) {
                    case 0 -> {
                        long from = random.nextLong(end + 1);
                        delayed.removeFrom(from);
                        model.removeIf(e -> e.base() >= from);
                        end = from;
                    }
                    case 1, 2, 3, 4 -> now += random.nextInt(20);
                    default -> {
                        Entry e = new Entry(now + 1 + random.nextInt(100), end);
                        delayed.add(e.due(), e.base(), 2);
                        model.add(e);
                        end += 2;
                    }
                }
                model.sort(Comparator.comparingLong(Entry::due).thenComparingLong(Entry::base));
                assertThat(delayed.messages()).isEqualTo(2L * model.size());
                while (!model.isEmpty() && model.getFirst().due() <= now) {
                    assertThat(delayed.next(now)).isEqualTo(model.removeFirst().base());
                    delayed.removeNext();
                }
                assertThat(delayed.next(now)).isEqualTo(-1);
                assertThat(delayed.wakeAt())
                        .isEqualTo(
                                model.isEmpty()
                                        ? Long.MAX_VALUE
                                        : model.getFirst().due());
            }
        }
    }

    /** The log of 1,000 entries, of which there is room for 50: each comes, none before its time, and the memory is given back. */
    @Test
    void readsAgainWhatFoundNoRoom() {
        DelayMemory memory = new DelayMemory(50);
        DelayedEntries delayed = new DelayedEntries(memory);
        Random random = new Random(7);
        TreeMap<Long, Long> log = new TreeMap<>();
        for (long base = 0; base < 1_000; base++) {
            log.put(base, 1 + random.nextLong(1_000_000));
        }
        List<Long> delivered = new ArrayList<>();
        long read = 0;
        for (long now = 0; !log.isEmpty(); now = Math.max(now, delayed.wakeAt())) {
            while (true) {
                long next = delayed.next(now);
                if (next >= 0) {
                    assertThat(log.remove(next)).isLessThanOrEqualTo(now);
                    delivered.add(next);
                    delayed.removeNext();
                    continue;
                }
                long again = delayed.scanAt(now);
                read = again >= 0 ? again : read;
                Map.Entry<Long, Long> met = log.ceilingEntry(read);
                if (met == null) {
                    break;
                }
                long at = met.getKey();
                read = at + 1;
                if (met.getValue() <= now) {
                    log.remove(at);
                    delivered.add(at);
                } else {
                    delayed.add(met.getValue(), at, 1);
                }
                assertThat(memory.used()).isLessThanOrEqualTo(50);
            }
            assertThat(log.isEmpty() || delayed.wakeAt() > now && delayed.wakeAt() < Long.MAX_VALUE)
                    .isTrue();
        }
        assertThat(delivered).hasSize(1_000).doesNotHaveDuplicates();
        assertThat(delayed.isEmpty()).isTrue();
        assertThat(memory.used()).isZero();
    }

    @Test
    void leavesTheLastQuarterToThoseWithFew() {
        DelayMemory memory = new DelayMemory(16_384);
        DelayedEntries many = new DelayedEntries(memory);
        for (int i = 0; i < 20_000; i++) {
            many.add(1, i, 1);
        }
        assertThat(many.messages()).isEqualTo(8_192);
        DelayedEntries few = new DelayedEntries(memory);
        for (int i = 0; i < 100; i++) {
            few.add(1, i, 1);
        }
        assertThat(few.messages()).isEqualTo(100);
        many.clear();
        few.clear();
        assertThat(memory.used()).isZero();
    }
}
