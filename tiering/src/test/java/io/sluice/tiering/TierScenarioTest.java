package io.sluice.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.segment.Durable;
import io.sluice.tiering.ModelState.Op;
import io.sluice.tiering.ModelState.Seg;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Appends, truncations, deletions, reads, store faults and crashes in any order: every byte arrives once, nothing stays behind. */
final class TierScenarioTest {
    private static final int SEEDS_PER_ROUND = 15;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void everyByteArrivesOnceAndNothingStaysBehind(int round) {
        for (int i = 0; i < SEEDS_PER_ROUND; i++) {
            long seed = (long) round * SEEDS_PER_ROUND + i;
            try {
                run(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static void run(long seed) {
        TierWorld world = new TierWorld(seed);
        world.faultsPerThousand = (int) (seed % 4) * 150;
        for (int step = 0; step < 600; step++) {
            step(world);
            world.turn();
        }
        // The store recovers and everything is flushed, so what remains is what must remain.
        world.faultsPerThousand = 0;
        world.host.shortPins = false;
        world.host.pressure = 1;
        world.settle(20_000);
        assertThat(world.host.untieredBytes()).as("untiered").isZero();
        world.nothingOrphaned();
        world.check();
    }

    private static void step(TierWorld world) {
        var random = world.random;
        long segment = 1L + random.nextInt(6);
        switch (random.nextInt(40)) {
            case 0 -> world.now += 6_000;
            case 1 -> world.host.pressure = random.nextDouble() * 1.2;
            case 2 -> truncate(world, segment);
            case 3 -> {
                if (random.nextInt(10) == 0) {
                    world.host.sequence(new Op.Delete(segment), Durable.IGNORED);
                }
            }
            case 4 -> {
                if (random.nextInt(6) == 0) {
                    world.crash();
                }
            }
            case 5 -> world.host.shortPins = random.nextBoolean();
            case 6, 7, 8, 9, 10, 11, 12 -> read(world);
            case 13, 14, 15, 16, 17, 18, 19 -> world.tasks.runOne();
            case 20, 21, 22, 23, 24, 25, 26 -> world.host.makeDurable(1 + random.nextInt(8));
            default -> {
                world.append(segment, 1 + random.nextInt(segment == 1 ? 60_000 : 6_000));
                world.now += random.nextInt(60);
            }
        }
    }

    private static void truncate(TierWorld world, long segment) {
        Seg seg = world.host.state().segments.get(segment);
        if (seg != null && seg.durable > seg.start) {
            long position = seg.start + world.random.nextLong(seg.durable - seg.start + 1);
            world.host.sequence(new Op.Truncate(segment, position), Durable.IGNORED);
        }
    }

    private static void read(TierWorld world) {
        List<Map.Entry<Long, Seg>> readable = new ArrayList<>();
        for (Map.Entry<Long, Seg> entry : world.host.state().segments.entrySet()) {
            if (entry.getValue().tiered > entry.getValue().start) {
                readable.add(entry);
            }
        }
        if (!readable.isEmpty()) {
            Map.Entry<Long, Seg> any = readable.get(world.random.nextInt(readable.size()));
            Seg seg = any.getValue();
            long position = seg.start + world.random.nextLong(seg.tiered - seg.start);
            if (world.host.tiered(any.getKey(), position) != null) {
                world.read(any.getKey(), position, 1 + world.random.nextInt(200_000));
            }
        }
    }
}
