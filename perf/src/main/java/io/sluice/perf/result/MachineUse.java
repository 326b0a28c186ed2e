package io.sluice.perf.result;

/**
 * Use of the machine by servers and clients in the measured time; NaN where unknown.
 *
 * @param idle share of all cores' time, 0 to 1
 * @param steal share that the host gave to others, 0 to 1
 * @param clientCores CPU-seconds per second of the clients' process
 * @param serverCores likewise
 * @param clientCpus cores that the clients may run on
 * @param busiestClientThread share of the time for which the clients' busiest thread ran, 0 to 1
 */
public record MachineUse(
        double idle, double steal, double clientCores, double serverCores, int clientCpus, double busiestClientThread) {
    public static final MachineUse UNKNOWN =
            new MachineUse(Double.NaN, Double.NaN, Double.NaN, Double.NaN, 0, Double.NaN);

    private static final double FULL = 0.9;
    private static final double HARDLY_IDLE = 0.05;

    /**
     * Whether a faster server would not have shown: one thread of the clients ran all the time, or they had all of their cores, or the
     * machine was full and more of it theirs than the server's.
     */
    public boolean limitedByClient() {
        boolean ownCoresFull = clientCpus > 0 && clientCores >= FULL * clientCpus;
        boolean machineMostlyTheirs = idle < HARDLY_IDLE && clientCores > serverCores;
        return busiestClientThread >= FULL || ownCoresFull || machineMostlyTheirs;
    }
}
