package io.sluice.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.segment.Durable;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.ModelState.Op;
import io.sluice.tiering.ModelState.Seg;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.objectstore.FakeObjectStore.Call;
import io.sluice.tiering.objectstore.FakeObjectStore.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class MergeTest {
    private static final int SEGMENTS = 40;
    private static final int FLUSHES = 30;
    private static final int BYTES = 500;

    private final TierWorld world = new TierWorld(1);

    @Test
    void manySmallRangesBecomeFewAndEveryByteIsRewrittenTwiceAtMost() {
        long before = flushes();
        int ranges = 0;
        for (Seg seg : world.host.state().segments.values()) {
            assertThat(seg.ranges).hasSizeLessThan(FLUSHES / 3);
            ranges += seg.ranges.size();
        }
        assertThat(ranges).isLessThan(SEGMENTS * FLUSHES / 5);
        long appended = (long) SEGMENTS * FLUSHES * BYTES;
        assertThat(world.storedBytes - before).isBetween(appended, 2 * appended);
        world.nothingOrphaned();
        world.check();
    }

    @Test
    void neighboursAreReadTogether() {
        List<String> reads = new ArrayList<>();
        world.store.faults((call, name) -> {
            if (call == Call.READ) {
                reads.add(name);
            }
            return Fault.NONE;
        });
        flushes();
        long appended = (long) SEGMENTS * FLUSHES * BYTES;
        // a request per source object and per readBytes, not one per range
        assertThat(reads.size()).isLessThan((int) (2 * appended / (3 * BYTES)));
        world.check();
    }

    @Test
    void givesWayUnderPressure() {
        world.host.pressure = 0.95;
        flushes();
        assertThat(Objects.requireNonNull(world.host.state().segments.get(1L)).ranges)
                .hasSize(FLUSHES);
        world.host.pressure = 0;
        world.settle(20_000);
        assertThat(Objects.requireNonNull(world.host.state().segments.get(1L)).ranges)
                .hasSizeLessThan(FLUSHES / 3);
        world.check();
    }

    @Test
    void damagedRangesAreLeftWhereTheyAre() {
        world.host.pressure = 0.95;
        flushes();
        List<TierRange> ranges =
                List.copyOf(Objects.requireNonNull(world.host.state().segments.get(5L)).ranges);
        TierRange spoilt = ranges.get(3);
        world.store.damage(ObjectNames.of(3, spoilt.object()), (int) spoilt.offset() + 1);
        world.host.pressure = 0;
        world.settle(30_000);
        assertThat(Objects.requireNonNull(world.host.state().segments.get(5L)).ranges)
                .contains(spoilt);
        assertThat(Objects.requireNonNull(world.host.state().segments.get(30L)).ranges)
                .hasSizeLessThan(FLUSHES / 3);
        world.host.sequence(new Op.Delete(5), Durable.IGNORED);
        world.settle(10_000);
        world.nothingOrphaned();
    }

    @Test
    void aCrashBetweenUploadAndCommitLeavesTheOldRangesAndAnOrphanThatIsCollected() {
        world.host.pressure = 0.95;
        flushes();
        int stored = world.puts.size();
        world.host.pressure = 0;
        for (int i = 0; i < 1_000 && world.puts.size() == stored; i++) {
            world.now += 50;
            world.turn();
            world.host.makeDurable(100);
            world.tasks.runAll();
        }
        String orphan = world.puts.getLast();
        world.crash();
        world.host.pressure = 0.95;
        assertThat(Objects.requireNonNull(world.host.state().segments.get(1L)).ranges)
                .hasSize(FLUSHES);
        assertThat(world.store.list("", "", 1_000)).extracting("name").contains(orphan);
        world.settle(5_000);
        assertThat(world.store.list("", "", 1_000)).extracting("name").doesNotContain(orphan);
        world.nothingOrphaned();
        world.check();
    }

    /** Returns the bytes that flushes alone stored. */
    private long flushes() {
        long bytes = 0;
        for (int i = 0; i < FLUSHES; i++) {
            for (int segment = 1; segment <= SEGMENTS; segment++) {
                world.append(segment, BYTES);
                bytes += BYTES;
            }
            world.settle(6_000);
        }
        world.settle(5_000);
        assertThat(world.host.untieredBytes()).isZero();
        return bytes;
    }
}
