package io.sluice.server.config;

/**
 * One figure from which every pool is sized, so that the defaults cannot run out of memory.
 *
 * <pre>
 *   total ─┬─ 1/4  heap (set on the command line)
 *          ├─ 1/4  streaming cache, over all containers; off-heap
 *          ├─ 1/8  requests received and not yet answered, both protocols
 *          ├─ 1/16 frames on their way to the log, over all containers
 *          ├─ 1/16 read-ahead from long-term storage, over all containers
 *          ├─ 1/8  bookie: write cache and journal buffers
 *          └─ the rest: outbound buffers, code, metadata store, thread stacks
 * </pre>
 *
 * @param totalBytes what the process may use
 */
public record MemoryBudget(long totalBytes) {
    /** Less than this and the parts are too small to work. */
    public static final long LEAST = 512L << 20;

    public MemoryBudget {
        Checks.inRange("memory", totalBytes, LEAST, 1L << 44);
    }

    /** From the system property that the launcher sets with the JVM's own limits, or from those limits. */
    public static MemoryBudget ofProcess() {
        Long total = Long.getLong("sluice.memory");
        return new MemoryBudget(
                total != null ? total : Math.max(LEAST, 4 * Runtime.getRuntime().maxMemory()));
    }

    public long cacheBytes() {
        return totalBytes / 4;
    }

    public long inFlightRequestBytes() {
        return totalBytes / 8;
    }

    public long frameBytes() {
        return totalBytes / 16;
    }

    public long readAheadBytes() {
        return totalBytes / 16;
    }

    public long bookieBytes() {
        return totalBytes / 8;
    }
}
