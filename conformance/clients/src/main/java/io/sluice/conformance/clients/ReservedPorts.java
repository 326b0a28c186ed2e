package io.sluice.conformance.clients;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of servers that a test starts, and starts again. One is given to one caller only, until its process ends: test processes run
 * side by side, and a port that is free now may be another test's, whose server is down at the moment or not up yet.
 */
public final class ReservedPorts {
    private static final int FIRST = 15_000;
    /** The system gives those from here on to outgoing connections. */
    private static final int END = 32_768;

    private static final Path LOCKS = Path.of(System.getProperty("java.io.tmpdir"), "sluice-reserved-ports");

    /** Locks end with the process. */
    private static final Queue<FileLock> HELD = new ConcurrentLinkedQueue<>();

    private ReservedPorts() {}

    /** @return a port of the loopback address on which nothing listens */
    public static int next() {
        try {
            Files.createDirectories(LOCKS);
            while (true) {
                int port = ThreadLocalRandom.current().nextInt(FIRST, END);
                if (lock(port) && isFree(port)) {
                    return port;
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("no port", e);
        }
    }

    private static boolean lock(int port) throws IOException {
        FileChannel file = FileChannel.open(
                LOCKS.resolve(Integer.toString(port)), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = file.tryLock();
            if (lock != null) {
                HELD.add(lock);
                return true;
            }
        } catch (OverlappingFileLockException ours) {
            // of this process
        }
        file.close();
        return false;
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
