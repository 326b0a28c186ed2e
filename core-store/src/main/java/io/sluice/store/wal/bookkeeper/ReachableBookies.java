package io.sluice.store.wal.bookkeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Tries whether registered bookies take connections: one that was killed stays registered until its session ends. */
public final class ReachableBookies {
    private static final Duration CONNECT = Duration.ofSeconds(2);
    private static final int AT_ONCE = 64;

    private ReachableBookies() {}

    /** Reasons, by id, of those that are registered and cannot be connected to; takes some seconds at most. */
    public static Map<String, String> failures(List<RegisteredBookie> bookies) {
        Map<String, String> failures = new LinkedHashMap<>();
        var turns = new Semaphore(AT_ONCE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (RegisteredBookie each : bookies) {
                if (each.state() != RegisteredBookie.State.LOST && !each.host().isEmpty()) {
                    threads.execute(() -> {
                        turns.acquireUninterruptibly();
                        String failure = connect(each);
                        turns.release();
                        if (!failure.isEmpty()) {
                            synchronized (failures) {
                                failures.put(each.id(), failure);
                            }
                        }
                    });
                }
            }
        }
        return failures;
    }

    private static String connect(RegisteredBookie bookie) {
        var address = new InetSocketAddress(bookie.host(), bookie.port());
        if (address.isUnresolved()) {
            return "no address for " + bookie.host();
        }
        try (var socket = new Socket()) {
            socket.connect(address, (int) CONNECT.toMillis());
            return "";
        } catch (IOException e) {
            return bookie.host() + ":" + bookie.port() + ": " + e.getMessage();
        }
    }
}
