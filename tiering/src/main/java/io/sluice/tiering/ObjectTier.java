package io.sluice.tiering;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import io.sluice.store.tier.Tier;
import io.sluice.store.tier.TierReply;
import io.sluice.tiering.collect.CollectGarbage;
import io.sluice.tiering.flush.DirectAppends;
import io.sluice.tiering.flush.Flusher;
import io.sluice.tiering.merge.Merger;
import io.sluice.tiering.read.TieredReader;
import io.sluice.tiering.task.Surroundings;
import java.util.concurrent.Semaphore;

/** A container's long-term storage in an object store. */
final class ObjectTier implements Tier {
    private final Surroundings around;
    private final TieringConfig config;
    private final Flusher flusher;
    private final TieredReader reader;
    private final DirectAppends direct;
    private final Merger merger;
    private final CollectGarbage collector;

    /** @param merges that may be under way at a time, over all tiers that share it */
    ObjectTier(Surroundings around, TieringConfig config, Semaphore merges) {
        this.around = around;
        this.config = config;
        this.reader = new TieredReader(around, config.read(), config.readBackoff());
        this.merger = new Merger(around, config.merge(), config.writeBackoff(), merges);
        this.flusher = new Flusher(around, config.flush(), config.writeBackoff());
        this.direct = new DirectAppends(around, config.writeBackoff());
        this.collector = new CollectGarbage(around, config.collect(), config.writeBackoff());
    }

    @Override
    public int doWork(long now) {
        if (around.completions().closed()) {
            return 0;
        }
        int work = around.completions().retireAll();
        work += reader.doWork(now);
        work += flusher.doWork(now);
        work += direct.doWork(now);
        work += merger.doWork(now, flusher.saturated());
        return work + collector.doWork(now);
    }

    @Override
    public void read(long segment, long position, int maxBytes, TierReply reply) {
        reader.read(segment, position, maxBytes, reply);
    }

    @Override
    public void append(long segment, long position, ByteBuf bytes, Durable done) {
        direct.append(segment, position, bytes, done);
    }

    @Override
    public void resize(long room, long readAhead) {
        flusher.resize(config.flush().within(room));
        reader.resize(config.read().ahead(readAhead));
    }

    @Override
    public void close() {
        around.completions().close();
        flusher.close();
        direct.close();
        merger.close();
        reader.close();
    }
}
