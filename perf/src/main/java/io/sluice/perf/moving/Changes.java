package io.sluice.perf.moving;

import io.sluice.perf.machine.ServerProcess;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Makes changes one after the other under a steady load, and measures each. One thread. */
final class Changes {
    private static final int WARM_UP = 50;
    /** A client that was refused comes again after 100 ms, and its receipt belongs to the change that refused it. */
    private static final long AFTER_MILLIS = 250;

    private static final double NANOS_PER_MILLI = 1e6;

    private final Waits waits;
    private final SteadyLoad load;
    private final ServerProcess server;

    /** One change, by its number. */
    interface Change {
        void make(int number) throws IOException, InterruptedException;
    }

    /** Whose waits count: so many partitions from the first one on. */
    record Span(int first, int count) {}

    Changes(Waits waits, SteadyLoad load, ServerProcess server) {
        this.waits = waits;
        this.load = load;
        this.server = server;
    }

    /** Clients and server that are still being compiled would count. */
    void warmUp(Change change) throws IOException, InterruptedException {
        for (int n = 0; n < WARM_UP; n++) {
            change.make(n);
            TimeUnit.MILLISECONDS.sleep(AFTER_MILLIS / 2);
        }
    }

    /** @throws IllegalStateException a record could not be sent */
    Cost measure(String name, int count, IntFunction<Span> whose, Change change)
            throws IOException, InterruptedException {
        double[] quiet = new double[count];
        double cpu = server.cpuSeconds();
        long begin = System.nanoTime();
        for (int n = 0; n < count; n++) {
            open(whose.apply(n));
            TimeUnit.MILLISECONDS.sleep(AFTER_MILLIS);
            quiet[n] = waits.close() / NANOS_PER_MILLI;
        }
        double usedBySecond = (server.cpuSeconds() - cpu) / ((System.nanoTime() - begin) / 1e9);
        double[] took = new double[count];
        double[] waited = new double[count];
        cpu = server.cpuSeconds();
        begin = System.nanoTime();
        for (int n = 0; n < count; n++) {
            open(whose.apply(n));
            long asked = System.nanoTime();
            change.make(n);
            took[n] = (System.nanoTime() - asked) / NANOS_PER_MILLI;
            TimeUnit.MILLISECONDS.sleep(AFTER_MILLIS);
            waited[n] = waits.close() / NANOS_PER_MILLI;
            load.check();
        }
        double used = server.cpuSeconds() - cpu - usedBySecond * ((System.nanoTime() - begin) / 1e9);
        return new Cost(name, took, waited, quiet, used * 1_000 / count);
    }

    private void open(Span span) {
        waits.open(span.first(), span.first() + span.count());
    }
}
