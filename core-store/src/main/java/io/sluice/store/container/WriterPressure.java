package io.sluice.store.container;

import io.sluice.store.pressure.Fill;
import io.sluice.store.pressure.Pressure;
import io.sluice.store.pressure.SteadyLevel;

/** Measures for {@link Pressure} how full the container's log and cache are, once per turn. Loop only. */
final class WriterPressure {
    private final Pressure pressure;
    private final CacheRoom room;
    private final LogSpace space;
    private final FramePipeline pipeline;
    private final long logLimit;
    private final long lagLimit;
    private final SteadyLevel lag = new SteadyLevel();
    private final SteadyLevel log = new SteadyLevel();
    private long delayedAt = Long.MIN_VALUE;
    private long delay;

    WriterPressure(ContainerConfig config, CacheRoom room, LogSpace space, FramePipeline pipeline) {
        this.pressure = new Pressure(config.pressure());
        this.room = room;
        this.space = space;
        this.pipeline = pipeline;
        this.logLimit = config.log().limitBytes();
        this.lagLimit = config.log().untieredRoom();
    }

    /** See {@link Pressure#delayMicros}. May be asked before each append: what changes with each of them is looked at anew. */
    long delayMicros(long now) {
        if (pipeline.backedUp() || !room.forLargestAppend()) {
            return Pressure.CLOSED;
        }
        if (now != delayedAt) {
            delayedAt = now;
            delay = measure(now);
        }
        return delay;
    }

    private long measure(long time) {
        Fill now = fill();
        double steadyLag = lag.see(time, space.untieredBytes());
        double steadyLog = log.see(time, space.bytes());
        if (pressure.ample(Math.max(now.lag(), now.cache()))) {
            lag.handOutAll();
        }
        if (pressure.ample(now.log())) {
            log.handOutAll();
        }
        // what the tier takes comes back to the cache in the same steps
        return pressure.delayMicros(
                now, new Fill(steadyLag / lagLimit, room.fill(lag.held()), steadyLog / logLimit, 0));
    }

    Fill fill() {
        double inFlight = pipeline.backedUp() ? 1 : 0;
        return new Fill(
                (double) space.untieredBytes() / lagLimit, room.fill(0), (double) space.bytes() / logLimit, inFlight);
    }

    /** See {@link Pressure#flushPressure}. */
    double flushPressure() {
        return pressure.flushPressure(fill());
    }
}
