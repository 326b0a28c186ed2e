package io.sluice.store.segment;

import java.util.function.Consumer;

/**
 * Told, on the loop and in sequencing order, what became of something that was put into the log. Called exactly once. Where the log
 * defers the disk's sync, whatever is no append and no note is told later: when it is on the disk.
 */
public interface Durable {
    /** Where the container's log wants it to be before it acknowledges: as a rule on an ack quorum's disks. Readable. */
    void durable();

    /** The container's term ended first. The operation may or may not survive into the next term. */
    void failed(StoreFailure why);

    /** For operations whose outcome is not waited for. */
    Durable IGNORED = of(() -> {});

    /** Nothing is left to do when the term ends first, which the next one finds as it is. */
    static Durable of(Runnable durable) {
        return of(durable, why -> {});
    }

    static Durable of(Runnable durable, Consumer<StoreFailure> failed) {
        return new Durable() {
            @Override
            public void durable() {
                durable.run();
            }

            @Override
            public void failed(StoreFailure why) {
                failed.accept(why);
            }
        };
    }
}
