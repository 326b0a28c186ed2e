package io.sluice.store.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FreeBlocksTest {
    @Test
    void neverHandsOutATable() {
        FreeBlocks free = new FreeBlocks(3);
        assertThat(free.available()).isEqualTo(3 * 511);
        for (int taken = 0; taken < 3 * 511; taken++) {
            int block = (int) (free.take(0, 1) >>> 32);
            assertThat(free.isBlock(block)).isTrue();
            assertThat(block % 512).isNotZero();
        }
        assertThat(free.available()).isZero();
    }

    @Test
    void continuesAfterTheLastBlock() {
        FreeBlocks free = new FreeBlocks(1);
        int first = (int) (free.take(0, 1) >>> 32);
        free.take(0, 1);
        assertThat(free.take(first + 1, 5)).isEqualTo((long) (first + 1) << 32 | 5);
    }

    @Test
    void givesALongRunWithinABuffer() {
        FreeBlocks free = new FreeBlocks(2);
        assertThat((int) free.take(0, 1000)).isEqualTo(511);
    }

    @Test
    void opensBuffersOneAfterTheOther() {
        FreeBlocks free = new FreeBlocks(8);
        List<Integer> taken = new ArrayList<>();
        for (int entry = 0; entry < 32; entry++) {
            taken.add((int) (free.take(0, 1) >>> 32));
        }
        assertThat(free.openedBuffers()).isEqualTo(1);
        taken.forEach(free::free);
        for (int run = 0; run < 100; run++) {
            free.free((int) (free.take(0, 1) >>> 32));
        }
        assertThat(free.openedBuffers()).isEqualTo(1);
        free.take(0, 600);
        free.take(0, 89);
        assertThat(free.openedBuffers()).isEqualTo(2);
    }

    @Test
    void whatIsTakenAboveTheLimitCountsAgainstWhatIsFreeBelow() {
        FreeBlocks free = new FreeBlocks(3);
        free.take(0, 511);
        free.take(0, 511);
        free.free((int) (free.take(0, 100) >>> 32), 50);
        free.free(1, 200);
        free.limit(2);
        assertThat(free.retires()).isTrue();
        assertThat(free.available()).isEqualTo(200 - 50 - 1);
        free.free(2 * 512 + 51, 50);
        assertThat(free.retires()).isFalse();
        assertThat(free.bufferIsFree(2 * 512 + 51)).isTrue();
        assertThat(free.available()).isEqualTo(200);
        assertThat((int) (free.take(2 * 512 + 1, 1) >>> 32)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void agreesWithASetOfBlocks(long seed) {
        Random random = new Random(seed);
        int most = 1 + random.nextInt(20);
        int buffers = 1 + random.nextInt(most);
        FreeBlocks free = new FreeBlocks(buffers);
        BitSet taken = new BitSet();
        for (int step = 0; step < 100_000; step++) {
            if (random.nextInt(500) == 0) {
                buffers = 1 + random.nextInt(most);
                free.limit(buffers);
            } else if (free.available() > 0 && random.nextInt(3) > 0) {
                long run = free.take(random.nextInt(most * 512 + 1), 1 + random.nextInt(100));
                for (int i = 0, block = (int) (run >>> 32); i < (int) run; i++, block++) {
                    assertThat(taken.get(block)).isFalse();
                    assertThat(block / 512).isEqualTo((int) (run >>> 32) / 512).isLessThan(buffers);
                    taken.set(block);
                }
            } else {
                int from = random.nextInt(most * 512);
                for (int n = random.nextInt(100), block = taken.nextSetBit(from); n > 0 && block >= 0; n--) {
                    taken.clear(block);
                    free.free(block);
                    block = taken.nextSetBit(block);
                }
            }
            int retiring = retiringTables(taken, buffers, most);
            assertThat(free.available()).isEqualTo(buffers * 511 - taken.cardinality() - retiring);
            assertThat(free.retires()).isEqualTo(retiring > 0);
        }
    }

    private static int retiringTables(BitSet taken, int limit, int most) {
        int tables = 0;
        for (int buffer = limit; buffer < most; buffer++) {
            int next = taken.nextSetBit(buffer * 512);
            tables += next >= 0 && next < (buffer + 1) * 512 ? 1 : 0;
        }
        return tables;
    }
}
