package io.sluice.store.state;

/** Something that must hold does not. It stops the container: state that is wrong is not served, and not written down. */
public final class BrokenInvariant extends IllegalStateException {
    public BrokenInvariant(String message) {
        super(message);
    }

    static void unless(boolean holds, String what, long segment) {
        if (!holds) {
            throw new BrokenInvariant(what + ", segment " + segment);
        }
    }
}
