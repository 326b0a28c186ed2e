package io.sluice.perf.moving;

import io.sluice.perf.machine.ServerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Splits segments of many topics as fast as the server does it, several at a time. */
final class ManySplits {
    /** A topic has at most 64 segments at a time. */
    private static final int SPLITS_OF_A_TOPIC = 50;

    private static final int AT_A_TIME = 4;

    private final Admin admin;
    private final ServerProcess server;

    ManySplits(Admin admin, ServerProcess server) {
        this.admin = admin;
        this.server = server;
    }

    /** The line with the figures. */
    String run(int splits) throws Exception {
        int topics = Math.ceilDiv(splits, SPLITS_OF_A_TOPIC);
        for (int t = 0; t < topics; t++) {
            admin.create(name(t));
        }
        double cpu = server.cpuSeconds();
        long begin = System.nanoTime();
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME)) {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < topics; t++) {
                String name = name(t);
                int count = Math.min(SPLITS_OF_A_TOPIC, splits - t * SPLITS_OF_A_TOPIC);
                running.add(threads.submit(() -> {
                    split(name, count);
                    return true;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        double used = server.cpuSeconds() - cpu;
        return String.format(
                Locale.ROOT,
                "  %-18s %4d done in %d topics in %.1f s, %.0f a minute; %.1f ms of CPU each; %.0f MB resident at the end",
                "split, flat out",
                splits,
                topics,
                seconds,
                splits / seconds * 60,
                used * 1_000 / splits,
                server.residentBytes() / 1e6);
    }

    /** Always the segment that has waited longest, so that all of a topic's become narrow evenly. */
    private void split(String name, int count) throws Exception {
        for (int done = 0; done < count; ) {
            for (long segment : admin.segments(name)) {
                if (done++ < count) {
                    admin.split(name, segment);
                }
            }
        }
    }

    private static String name(int topic) {
        return "many-" + topic;
    }
}
