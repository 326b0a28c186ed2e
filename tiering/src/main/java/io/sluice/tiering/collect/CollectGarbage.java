package io.sluice.tiering.collect;

import io.sluice.store.segment.Durable;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.task.Backoff;
import io.sluice.tiering.task.Completions.Completion;
import io.sluice.tiering.task.Surroundings;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes objects that nothing references, one batch at a time.
 *
 * <pre>
 *   durably garbage? ─► delete (virtual thread) ─► sequence that they are gone ─► durable: next batch
 * </pre>
 *
 * Safe to cut off anywhere: what was deleted without being recorded is garbage again in the next term, and deleting it
 * again is success. Loop only.
 */
public final class CollectGarbage {
    private static final Logger log = LoggerFactory.getLogger(CollectGarbage.class);

    private final Surroundings around;
    private final CollectPolicy policy;
    private final Backoff backoff;
    private boolean started;
    private boolean busy;
    private int failures;
    private long now;
    /** Milliseconds since the epoch. */
    private long nextLook;

    public CollectGarbage(Surroundings around, CollectPolicy policy, Backoff backoff) {
        this.around = around;
        this.policy = policy;
        this.backoff = backoff;
    }

    /** As {@link io.sluice.store.tier.Tier#doWork}. */
    public int doWork(long time) {
        now = time;
        if (!started) {
            started = true;
            nextLook = time + policy.graceMillis();
        }
        if (busy || time < nextLook) {
            return 0;
        }
        nextLook = time + policy.intervalMillis();
        List<Long> garbage = around.host().garbage();
        if (garbage.isEmpty()) {
            return 0;
        }
        List<Long> batch = List.copyOf(garbage.subList(0, Math.min(policy.batch(), garbage.size())));
        busy = true;
        delete(batch);
        return 1;
    }

    private void delete(List<Long> objects) {
        int container = around.host().container();
        List<String> names = objects.stream()
                .map(object -> ObjectNames.of(container, object))
                .toList();
        around.tasks().start("collect c" + container, () -> around.completions().add(deleteFromStore(objects, names)));
    }

    /** On a virtual thread. */
    private Completion deleteFromStore(List<Long> objects, List<String> names) {
        try {
            around.store().delete(names);
            return onLoop(() -> deleted(objects));
        } catch (ObjectStoreException e) {
            return onLoop(() -> failed(e.getMessage()));
        } catch (RuntimeException | Error e) {
            return onLoop(() -> failed(e.toString()));
        }
    }

    private void deleted(List<Long> objects) {
        failures = 0;
        around.host().sequenceCollected(objects, Durable.of(() -> busy = false));
    }

    private void failed(String why) {
        failures++;
        nextLook = now + Math.max(policy.intervalMillis(), backoff.pauseMillis(failures, around.random()));
        busy = false;
        if (failures == 1) {
            log.warn("Could not delete objects no longer used, trying again: {}", why);
        }
    }

    private static Completion onLoop(Runnable retire) {
        return new Completion() {
            @Override
            public void retire() {
                retire.run();
            }

            @Override
            public void abandon() {}
        };
    }
}
