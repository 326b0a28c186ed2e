package io.sluice.broker.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OffsetMapTest {
    private static ByteBuffer key(long key) {
        return ByteBuffer.allocate(8).putLong(key).flip();
    }

    @Test
    void knowsTheLastOffsetOfEachKey() {
        Random random = new Random(5);
        OffsetMap map = new OffsetMap(OffsetMap.bytesFor(5_000));
        Map<Long, Long> model = new HashMap<>();
        for (long offset = 0; offset < 40_000; offset++) {
            long key = random.nextLong(5_000);
            assertThat(map.put(key(key), offset)).isTrue();
            model.put(key, offset);
        }
        assertThat(map.size()).isEqualTo(model.size());
        model.forEach((key, offset) -> assertThat(map.offset(key(key))).isEqualTo(offset));
        assertThat(map.offset(key(-1))).isEqualTo(-1);
    }

    @Test
    void takesNoMoreKeysThanItHasRoomForAndStillTakesThoseItHas() {
        OffsetMap map = new OffsetMap(1_000);
        long keys = 0;
        while (map.put(key(keys), keys)) {
            keys++;
        }
        assertThat(keys).isBetween(20L, 41L);
        assertThat(map.put(key(3), 1_000)).isTrue();
        assertThat(map.offset(key(3))).isEqualTo(1_000);
        assertThat(map.offset(key(keys))).isEqualTo(-1);
        assertThat(map.size()).isEqualTo(keys);
    }

    @Test
    void anEarlierOffsetDoesNotTakeThePlaceOfALaterOne() {
        OffsetMap map = new OffsetMap(1_000);
        map.put(key(1), 9);
        map.put(key(1), 4);
        assertThat(map.offset(key(1))).isEqualTo(9);
    }
}
