package io.sluice.perf.peer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports that are free now; all are held open together while they are picked, so they differ. */
final class LoopbackPorts {
    private LoopbackPorts() {}

    static List<Integer> free(int count) throws PeerException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } catch (IOException e) {
            throw new PeerException("no free loopback port: " + e.getMessage(), e);
        } finally {
            sockets.forEach(LoopbackPorts::close);
        }
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException ignored) {
            // It was never connected to: there is nothing to lose.
        }
    }
}
