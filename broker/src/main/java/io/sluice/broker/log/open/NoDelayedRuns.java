package io.sluice.broker.log.open;

import io.sluice.broker.log.DelayedRuns;
import java.util.List;

/** Index of delayed entries of a partition that has no entries. */
enum NoDelayedRuns implements DelayedRuns {
    HERE;

    @Override
    public long since() {
        return 0;
    }

    @Override
    public long indexedTo() {
        return 0;
    }

    @Override
    public long unindexedFrom() {
        return -1;
    }

    @Override
    public long delayedEnd() {
        return 0;
    }

    @Override
    public List<Run> runs() {
        return List.of();
    }
}
