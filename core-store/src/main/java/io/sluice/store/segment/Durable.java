package io.sluice.store.segment;

/** Told, on the loop and in sequencing order, what became of something that was put into the log. Called exactly once. */
public interface Durable {
    /** Fsynced by the acknowledging quorum, and readable. */
    void durable();

    /** The container's term ended first. The operation may or may not survive into the next term. */
    void failed(StoreFailure why);

    /** For operations nobody waits for. */
    Durable IGNORED = new Durable() {
        @Override
        public void durable() {}

        @Override
        public void failed(StoreFailure why) {}
    };
}
