package io.sluice.store.segment;

/**
 * Every way the store can decline. Sealed, so that each protocol's error mapping is a {@code switch} the compiler checks.
 *
 * <p>Nothing here is a broken invariant: those stop the container, after which callers see {@link NotOwner}.
 */
public sealed interface StoreFailure {
    /** One line for a log or a protocol error message; no stack trace, no internals. */
    String message();

    /** This process does not (or no longer) serve the container; the client looks up the owner again. Retriable. */
    record NotOwner(int container, String message) implements StoreFailure {}

    /** The store cannot take more now: log, cache or tier are behind. Retriable after a pause. */
    record Overloaded(String message) implements StoreFailure {}

    /** No such segment: it was deleted or never existed. */
    record NoSuchSegment(long segment, String message) implements StoreFailure {}

    /** The segment takes no more appends. */
    record Sealed(long segment, String message) implements StoreFailure {}

    /** The position lies before the segment's start (it was truncated) or past its end. */
    record OutOfRange(long segment, long position, String message) implements StoreFailure {}

    /** Larger than the store takes in one append. */
    record TooLarge(long size, long limit, String message) implements StoreFailure {}

    /** Long-term storage did not answer; the data is safe. Retriable. */
    record TierUnavailable(String message) implements StoreFailure {}

    /** Bytes read back do not match their checksum; they are never served. */
    record Corrupt(String message) implements StoreFailure {}
}
