package io.sluice.broker.log.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.index.OffsetIndex.Point;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OffsetIndexTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyPointIsAnEntry(long seed) {
        Random random = new Random(seed);
        TreeMap<Long, Long> entries = new TreeMap<>();
        OffsetIndex index = new OffsetIndex();
        long offset = 0;
        long position = 0;
        long start = 0;
        long largest = -1;
        for (int i = 0; i < 20_000; i++) {
            long time = random.nextInt(1_000_000);
            largest = Math.max(largest, time);
            index.add(offset, position, time);
            entries.put(offset, position);
            offset += 1 + random.nextInt(10);
            position += 61 + random.nextInt(20_000);
            assertThat(index.size()).isLessThanOrEqualTo(OffsetIndex.CAPACITY);
            if (random.nextInt(1_000) == 0) {
                index = copy(index);
            }
            if (random.nextInt(4_000) == 0) {
                Point cut = index.atOrBelow(start + (offset - start) / 4);
                start = cut.offset();
                index.dropBefore(cut.offset(), cut.position());
                entries.headMap(start).clear();
            }
        }
        long asked = start + (long) (random.nextDouble() * (offset - start));
        Point found = index.atOrBelow(asked);
        assertThat(entries).containsEntry(found.offset(), found.position());
        assertThat(found.offset()).isLessThanOrEqualTo(asked);
        assertThat(index.maxTimestamp(index.latest())).isLessThanOrEqualTo(largest);
        assertThat(index.firstReaching(largest + 1, 0)).isEqualTo(index.size());
    }

    @Test
    void theNewestEntriesAreExact() {
        OffsetIndex index = new OffsetIndex();
        for (int i = 0; i < 5_000; i++) {
            index.add(i, 100L * i, 0);
            for (int newest = Math.max(0, i - OffsetIndex.EXACT + 1); newest <= i; newest++) {
                assertThat(index.atOrBelow(newest)).isEqualTo(new Point(newest, 100L * newest));
            }
        }
        assertThat(index.size()).isLessThan(3 * OffsetIndex.EXACT);
    }

    private static OffsetIndex copy(OffsetIndex index) {
        ByteBuf out = Unpooled.buffer();
        index.snapshot(out);
        return OffsetIndex.restore(out);
    }
}
