package io.sluice.tiering.collect;

/**
 * How fast objects that nothing references are deleted.
 *
 * @param graceMillis none before a term is so old: by then every put of an earlier owner has ended, and what it stored after
 *     all is found by the delete. Must be above the time the store gives a put: 30 s of waiting under a limit on uploads, 50 s of the call
 * @param intervalMillis between batches
 * @param batch objects per batch, 1,000 at most
 */
public record CollectPolicy(long graceMillis, long intervalMillis, int batch) {
    public static final CollectPolicy DEFAULT = new CollectPolicy(90_000, 10_000, 1_000);

    public CollectPolicy {
        if (graceMillis < 0 || intervalMillis <= 0) {
            throw new IllegalArgumentException("Collection times must not be negative, the interval above 0");
        }
        if (batch < 1 || batch > 1000) {
            throw new IllegalArgumentException("A batch is 1 to 1000 objects: " + batch);
        }
    }
}
