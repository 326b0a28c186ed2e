package io.sluice.store.state;

/** Something that must hold does not. It stops the container: state that is wrong is not served, and not written down. */
public final class BrokenInvariant extends IllegalStateException {
    public BrokenInvariant(String message) {
        super(message);
    }

    public BrokenInvariant(String message, RuntimeException cause) {
        super(message, cause);
    }

    /** @param segment on which it is broken */
    public BrokenInvariant(long segment, RuntimeException cause) {
        super("segment " + segment + ": " + cause.getMessage(), cause);
    }

    static void unless(boolean holds, String what, long segment) {
        if (!holds) {
            throw new BrokenInvariant(what + ", segment " + segment);
        }
    }
}
