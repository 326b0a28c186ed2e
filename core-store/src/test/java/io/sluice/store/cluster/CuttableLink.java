package io.sluice.store.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Passes connections on to a server of the loopback, and can be cut: connections break, and new ones are closed at once. */
public final class CuttableLink implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int to;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    /** @param to port of the server */
    public CuttableLink(int to) throws IOException {
        this.to = to;
        Thread.ofVirtual().name("link-" + to).start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    public void cut() {
        cut = true;
        open.forEach(CuttableLink::close);
    }

    public void mend() {
        cut = false;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                pass(listener.accept());
            } catch (IOException closed) {
                continue;
            }
        }
    }

    private void pass(Socket client) {
        open.add(client);
        if (cut) {
            close(client);
            return;
        }
        Socket server = new Socket();
        open.add(server);
        Thread.ofVirtual().start(() -> {
            try {
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), to));
                Thread.ofVirtual().start(() -> copy(server, client));
                copy(client, server);
            } catch (IOException notThere) {
                close(client);
            }
        });
    }

    private void copy(Socket from, Socket into) {
        try (from;
                into;
                InputStream bytes = from.getInputStream()) {
            bytes.transferTo(into.getOutputStream());
        } catch (IOException broken) {
            // both are closed
        } finally {
            open.remove(from);
            open.remove(into);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException alreadyBroken) {
            // that is what is wanted
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}
