package io.sluice.store.container;

import io.sluice.store.cache.CacheStats;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.read.ReadStats;
import org.jspecify.annotations.Nullable;

/** Takes the figures of a container that serves, ten times a second; observers read the last ones. */
final class StatsTurns {
    private static final long PAUSE_MICROS = 100_000;

    private final StreamingCache cache;
    private final ReadIndex index;
    private final Segments segments;
    private final Sequencer sequencer;
    private final AppendQueue appends;
    private final FramePipeline pipeline;
    private final WriterPressure pressure;
    private final TierReads tierReads;
    private final LedgerRoller ledgers;
    private final LoopWork loop;
    private volatile @Nullable ContainerStats latest;
    private long takenAt;

    StatsTurns(
            StreamingCache cache,
            ReadIndex index,
            Segments segments,
            Sequencer sequencer,
            AppendQueue appends,
            FramePipeline pipeline,
            WriterPressure pressure,
            TierReads tierReads,
            LedgerRoller ledgers,
            LoopWork loop) {
        this.cache = cache;
        this.index = index;
        this.segments = segments;
        this.sequencer = sequencer;
        this.appends = appends;
        this.pipeline = pipeline;
        this.pressure = pressure;
        this.tierReads = tierReads;
        this.ledgers = ledgers;
        this.loop = loop;
    }

    /** Null before the first turn. Any thread. */
    @Nullable
    ContainerStats latest() {
        return latest;
    }

    /** @param now microseconds since the epoch; on the loop */
    void turn(long now) {
        if (now - takenAt >= PAUSE_MICROS) {
            takenAt = now;
            tierReads.look(now);
            latest = take(now);
        }
    }

    private ContainerStats take(long now) {
        CacheStats blocks = cache.stats();
        ReadStats reads = index.stats();
        return new ContainerStats(
                segments.size(),
                sequencer.appendedBytes(),
                appends.refused(),
                pipeline.stats(),
                blocks.usedBytes(),
                blocks.capacityBytes(),
                reads.hits(),
                reads.misses(),
                pressure.fill(),
                pressure.delayMicros(now),
                tierReads.started(),
                tierReads.failed(),
                loop.timers(),
                ledgers.failures());
    }
}
