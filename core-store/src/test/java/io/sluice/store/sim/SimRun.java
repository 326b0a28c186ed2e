package io.sluice.store.sim;

/** Runs many seeds: {@code SimRun <first seed> <how many> [events]}; stops at the first that fails, with its number. */
public final class SimRun {
    private SimRun() {}

    public static void main(String[] args) {
        long first = Long.parseLong(args[0]);
        long count = Long.parseLong(args[1]);
        int events = args.length > 2 ? Integer.parseInt(args[2]) : 3_000;
        for (long seed = first; seed < first + count; seed++) {
            try {
                new SimWorld(seed).run(events);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " with " + events + " events: " + e.getMessage(), e);
            }
        }
        System.out.println("seeds " + first + " to " + (first + count - 1) + ": nothing found");
    }
}
