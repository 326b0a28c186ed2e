package io.sluice.broker.topic;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Processes that change records of topics. What one of them has begun, and is named in the record, another one finishes or undoes only when
 * the first is dead; until then it waits. That a process counts as dead too early costs it the change, never more: whoever goes on with the
 * change writes that into the record first, and each write of a change expects the one before. Any thread.
 */
public interface ChangeOwners {
    /** This is the only process: whatever is not finished is left from an earlier start. */
    ChangeOwners ALONE = new ChangeOwners() {
        @Override
        public @Nullable ChangeOwner self() {
            return null;
        }

        @Override
        public boolean isAlive(ChangeOwner other) {
            return false;
        }
    };

    /** This process; null where no other can have the store open. */
    @Nullable
    ChangeOwner self();

    /** Whether the process may still go on with what it has begun; answered from memory. */
    boolean isAlive(ChangeOwner other);

    /**
     * Waits before a record that another process is changing is read again; blocks.
     *
     * @param times how often it was waited already
     * @return false when that has been long enough
     */
    default boolean waitAgain(int times) {
        if (times >= 30) { // 13 s
            return false;
        }
        try {
            Thread.sleep(Math.min(10L << Math.min(times, 6), 500));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Whether another process, which is alive, goes on with the change. */
    default boolean isElsewhere(@Nullable ChangeOwner of) {
        return of != null && !Objects.equals(of, self()) && isAlive(of);
    }
}
