package io.sluice.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands before an HTTP server and does to its clients what networks and providers do. Every connection carries one request, so
 * that a change of trouble concerns the next one.
 */
final class TroubledLink implements AutoCloseable {
    private static final int MOST_HEAD = 64 << 10;
    private static final int CUT_AFTER = 256 << 10;
    private static final long SLOW_NANOS = 2_000_000_000L;

    enum Trouble {
        NONE,
        /** Every second request is answered with 503. */
        HALF_REFUSED,
        /** Every answer comes two seconds late. */
        SLOW,
        /** Of every second request whose body is large, a part arrives; then the connection is gone. */
        CUT,
        /** Nobody answers. */
        AWAY
    }

    private final ServerSocket listener;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong troubled = new AtomicLong();
    private final AtomicLong uploaded = new AtomicLong();
    private volatile Trouble trouble = Trouble.NONE;
    private volatile double bytesPerNano = Double.POSITIVE_INFINITY;
    private double freeAt;

    /** @param server URL of a server on this machine */
    TroubledLink(String server) throws IOException {
        port = URI.create(server).getPort();
        listener = new ServerSocket(0, 128, InetAddress.getByName("127.0.0.1"));
        Thread.ofVirtual().start(this::accept);
    }

    String endpoint() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    void trouble(Trouble now) {
        troubled.set(0);
        trouble = now;
    }

    /** All requests together upload no faster from now on, those under way included. */
    void limitUploads(double bytesPerSecond) {
        bytesPerNano = bytesPerSecond / 1e9;
    }

    /** Waits until so many bytes are due. */
    private void take(int bytes) {
        double wait;
        synchronized (this) {
            double now = System.nanoTime();
            freeAt = Math.max(freeAt, now) + bytes / bytesPerNano;
            wait = freeAt - now;
        }
        LockSupport.parkNanos((long) wait);
    }

    /** Bytes that went to the server. */
    long uploaded() {
        return uploaded.get();
    }

    /** Requests that were troubled since the last change. */
    long troubled() {
        return troubled.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            String head = head(client.getInputStream());
            if (!head.isEmpty()) {
                exchange(client, head);
            }
        } catch (IOException e) {
            // the client sees it
        } finally {
            open.remove(client);
        }
    }

    private void exchange(Socket client, String head) throws IOException {
        Trouble now = trouble;
        boolean second = requests.incrementAndGet() % 2 == 0;
        if (now == Trouble.AWAY) {
            troubled.incrementAndGet();
            return;
        }
        if (now == Trouble.HALF_REFUSED && second) {
            troubled.incrementAndGet();
            client.getOutputStream()
                    .write("HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.ISO_8859_1));
            client.shutdownOutput();
            client.getInputStream().transferTo(OutputStream.nullOutputStream());
            return;
        }
        try (Socket server = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
            open.add(server);
            server.getOutputStream().write(closing(head).getBytes(StandardCharsets.ISO_8859_1));
            Thread.ofVirtual().start(() -> upload(client, server, now == Trouble.CUT && second));
            if (now == Trouble.SLOW) {
                troubled.incrementAndGet();
                LockSupport.parkNanos(SLOW_NANOS);
            }
            server.getInputStream().transferTo(client.getOutputStream());
            client.shutdownOutput();
            open.remove(server);
        }
    }

    private void upload(Socket client, Socket server, boolean cut) {
        byte[] buffer = new byte[16 << 10];
        long sent = 0;
        try {
            InputStream in = client.getInputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                take(n);
                server.getOutputStream().write(buffer, 0, n);
                sent += n;
                uploaded.addAndGet(n);
                if (cut && sent > CUT_AFTER) {
                    troubled.incrementAndGet();
                    server.close();
                    client.close();
                    return;
                }
            }
            server.shutdownOutput();
        } catch (IOException e) {
            // one of them is gone
        }
    }

    /** Up to the empty line; empty if the client has gone. */
    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.length() < MOST_HEAD) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.append((char) next);
            if (next == '\n'
                    && head.length() >= 4
                    && head.substring(head.length() - 4).equals("\r\n\r\n")) {
                return head.toString();
            }
        }
        return "";
    }

    /** The header is not among those that S3 signs. */
    private static String closing(String head) {
        String without = head.replaceAll("(?i)\r\nConnection:[^\r]*", "");
        return without.substring(0, without.length() - 2) + "Connection: close\r\n\r\n";
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
