package io.sluice.tiering.merge;

/**
 * Which ranges are merged, and how fast.
 *
 * <p>A merge takes whole neighbours that were rewritten equally often, so what it writes was rewritten once more than they;
 * what was rewritten {@code rewrites} times stays as it is. That bounds the work, however small the ranges: a byte is
 * uploaded once by a flush and {@code rewrites} times at most by merges. And it bounds the manifest: of n flushes of a
 * segment at most {@code n / fanIn^rewrites} ranges stay, with fewer than {@code fanIn} of each kind that waits for company.
 *
 * @param fanIn so many neighbours are worth a merge, whatever their size
 * @param rewrites of a byte at most
 * @param largeBytes a range of as many bytes is as good as any and stays as it is
 * @param objectBytes most data bytes per object, and per merged range; neighbours with as many are worth a merge, too
 * @param readBytes most bytes per request to the store
 * @param reads requests under way per merge
 * @param jobs merges under way on this server, each of which holds up to twice {@code objectBytes} of memory
 * @param intervalMillis between looks at all segments, when there is nothing to do
 * @param waitMillis that runs too few to fill an object wait for more
 * @param leastBytesPerSecond that are merged by a container, if as much waits
 * @param debtMillis in which all that waits is merged, where that is faster; so a burst is merged after it
 * @param mostPressure none is begun while the host's pressure is as high, 0 to 1
 */
public record MergePolicy(
        int fanIn,
        int rewrites,
        int largeBytes,
        int objectBytes,
        int readBytes,
        int reads,
        int jobs,
        long intervalMillis,
        long waitMillis,
        long leastBytesPerSecond,
        long debtMillis,
        double mostPressure) {
    public static final MergePolicy DEFAULT =
            new MergePolicy(16, 2, 4 << 20, 16 << 20, 4 << 20, 4, 2, 5_000, 60_000, 4 << 20, 600_000, 0.8);

    public MergePolicy {
        if (fanIn < 2 || rewrites < 1 || rewrites > 100) {
            throw new IllegalArgumentException(
                    "A merge takes 2 ranges at least, 1 to 100 times: " + fanIn + ", " + rewrites);
        }
        if (largeBytes <= 0 || objectBytes < 2L * largeBytes || objectBytes > 1 << 29) {
            throw new IllegalArgumentException(
                    "A merged range holds two of " + largeBytes + " bytes, 512 MiB at most: " + objectBytes);
        }
        if (readBytes <= 0 || reads <= 0 || jobs <= 0 || intervalMillis <= 0 || waitMillis <= 0) {
            throw new IllegalArgumentException("Merge bounds must be above 0");
        }
        if (leastBytesPerSecond <= 0 || debtMillis <= 0) {
            throw new IllegalArgumentException(
                    "Merging needs time and a rate: " + debtMillis + " ms, " + leastBytesPerSecond + " B/s");
        }
        if (!(mostPressure > 0 && mostPressure <= 1)) {
            throw new IllegalArgumentException("mostPressure must be above 0, at most 1: " + mostPressure);
        }
    }
}
