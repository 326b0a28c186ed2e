package io.sluice.testing.fuzz;

/** The heap of this process. */
final class Heap {
    private Heap() {}

    /** Bytes in use after a collection. */
    static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
