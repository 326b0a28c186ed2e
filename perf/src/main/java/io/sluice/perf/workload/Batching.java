package io.sluice.perf.workload;

/** How a producer's client batches. */
public enum Batching {
    /** Batches of 128 KiB, sent after 1 ms at the latest. */
    STANDARD(128 << 10, 1),
    /** Batches of 1 MiB, sent after 10 ms at the latest. */
    LARGE(1 << 20, 10),
    /** Each record by itself. */
    NONE(0, 0);

    private final int bytes;
    private final int millis;

    Batching(int bytes, int millis) {
        this.bytes = bytes;
        this.millis = millis;
    }

    /** Most of a batch, 0 for none. */
    public int bytes() {
        return bytes;
    }

    /** Longest wait for more records. */
    public int millis() {
        return millis;
    }

    /** "batches to 128 KiB or 1 ms". */
    public String text() {
        return this == NONE ? "no batches" : "batches to %d KiB or %d ms".formatted(bytes >> 10, millis);
    }
}
