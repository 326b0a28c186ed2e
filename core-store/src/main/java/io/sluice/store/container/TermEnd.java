package io.sluice.store.container;

import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of a term's end. Each is taken whatever came of those before it: one that fails, and be it with an Error, must not
 * keep a client waiting or the next owner out.
 */
final class TermEnd {
    private static final Logger log = LoggerFactory.getLogger(TermEnd.class);

    private TermEnd() {}

    /** @param what for the log, if the step fails */
    static void step(String what, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            log.error("The end of a term goes on though a step of it failed: {}", what, e);
        }
    }

    static void abandon(LoopTask task, StoreFailure why) {
        try {
            task.abandoned(why);
        } catch (Throwable e) {
            log.error("A task failed when it was told that its turn will not come", e);
        }
    }
}
