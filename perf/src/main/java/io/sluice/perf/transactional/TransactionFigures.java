package io.sluice.perf.transactional;

/**
 * Figures of a load.
 *
 * @param recordsPerSecond committed
 * @param commitsPerSecond of all producers
 * @param commitP50 from the call of commit to its return, milliseconds
 * @param commitP99 likewise
 * @param cpuPerGigabyte server CPU-seconds per 10^9 bytes of values committed
 */
record TransactionFigures(
        double recordsPerSecond, double commitsPerSecond, double commitP50, double commitP99, double cpuPerGigabyte) {}
