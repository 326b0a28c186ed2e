package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.pulsar.dispatch.DelayHeap.Key;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Memory of delayed entries, against simple models. */
class DelayHeapTest {
    private static final int SEEDS = Integer.getInteger("sim.seeds", 20);

    private static final Comparator<Key> ORDER =
            Comparator.comparingLong(Key::time).thenComparingLong(Key::base);

    /** All come in order, whatever room there is: what finds none is read again from behind the horizon. */
    @Test
    void theNearestAreKeptAndOthersFoundBehindTheHorizon() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            DelayMemory memory = new DelayMemory(random.nextInt(2_000), 1 << 20);
            NearDelays near = new NearDelays(memory);
            TreeSet<Key> model = new TreeSet<>(ORDER);
            List<Key> came = new ArrayList<>();
            long base = 0;
            Key last = new Key(0, 0);
            for (int step = 0; step < 6_000 || !model.isEmpty(); step++) {
                if (step < 6_000 && random.nextInt(3) > 0) {
                    Key key = new Key(last.time() + random.nextInt(50), base++);
                    model.add(key);
                    near.add(key.time(), key.base(), 1);
                } else if (near.heap().size() > 0) {
                    Key key = new Key(near.heap().time(), near.heap().base());
                    near.heap().removeFirst();
                    assertThat(key).isEqualTo(model.pollFirst());
                    came.add(key);
                    last = key;
                }
                if (near.needsMore()) {
                    Key from = near.horizon();
                    near.extend();
                    model.tailSet(from, true).forEach(key -> near.add(key.time(), key.base(), 1));
                }
            }
            assertThat(came).hasSize((int) base);
            near.clear();
            assertThat(memory.used()).isZero();
        }
    }

    @Test
    void leavesTheLastQuarterToThoseWithFew() {
        DelayMemory memory = new DelayMemory(16_384, 0);
        DelayHeap many = new DelayHeap(memory);
        int added = 0;
        while (many.add(1, added, 1)) {
            added++;
        }
        assertThat(added).isEqualTo(8_192);
        DelayHeap few = new DelayHeap(memory);
        for (int i = 0; i < 1_000; i++) {
            assertThat(few.add(1, i, 1)).isTrue();
        }
        many.clear();
        few.clear();
        assertThat(memory.used()).isZero();
    }

    @Test
    void pendingOffsetsAreThoseOfAModelWithinTheirRoom() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            DelayMemory memory = new DelayMemory(0, 1 << 20);
            PendingOffsets pending = new PendingOffsets(memory);
            BitSet model = new BitSet();
            long start = (1L << 31) - 300; // on both sides of where a bitmap ends
            for (int step = 0; step < 3_000; step++) {
                int at = random.nextInt(600);
                int offsets = 1 + random.nextInt(5);
                if (random.nextInt(5) < 3) {
                    pending.add(start + at, offsets);
                    model.set(at, at + offsets);
                } else {
                    pending.remove(start + at, offsets);
                    model.clear(at, at + offsets);
                }
                int look = random.nextInt(610);
                assertThat(pending.contains(start + look)).isEqualTo(model.get(look));
                assertThat(pending.after(start + look)).isEqualTo(start + model.nextClearBit(look));
                assertThat(pending.count(start, start + look))
                        .isEqualTo(model.get(0, look).cardinality());
                assertThat(pending.isEmpty()).isEqualTo(model.isEmpty());
            }
            pending.clear();
            assertThat(memory.bitmapBytes()).isZero();
        }
    }

    @Test
    void bitmapsStopGrowingWhereThereIsNoRoom() {
        DelayMemory memory = new DelayMemory(0, 100_000);
        PendingOffsets pending = new PendingOffsets(memory);
        for (long at = 0; at < 1_000_000; at++) {
            pending.add(at * 1_000, 1);
        }
        assertThat(memory.bitmapBytes()).isBetween(50_000L, 200_000L);
        assertThat(pending.contains(0)).isTrue();
        assertThat(pending.contains(999_999_000)).isFalse();
        pending.clear();
        assertThat(memory.bitmapBytes()).isZero();
    }

    @Test
    void ofTooManyDueTheFirstThatIsNotKnownIs() {
        DueEntries due = new DueEntries(2);
        due.add(30, 2);
        due.add(20, 2);
        due.add(25, 1);
        due.add(10, 1);
        assertThat(due.next()).isEqualTo(20);
        assertThat(due.goesOn()).isTrue();
        assertThat(due.takeLeft()).isEqualTo(-1);
        due.removeWhile((base, offsets) -> base == 20 && offsets == 2);
        assertThat(due.isAhead(29)).isTrue();
        due.remove(30);
        assertThat(due.takeLeft()).isEqualTo(10);
        assertThat(due.takeLeft()).isEqualTo(-1);
        assertThat(due.next()).isEqualTo(-1);
    }
}
