package io.sluice.kafka;

import io.sluice.testing.fuzz.FuzzBytes;
import io.sluice.testing.fuzz.Mutator;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/** One client of a TLS listener whose ClientHello is damaged, and is sent in one piece or in two, or followed by anything. */
final class HelloSequence {
    /** For the answer to a damaged one, which may never come. */
    private static final int PATIENCE_MILLIS = 300;

    private static final int GOOD_PATIENCE_MILLIS = 8_000;
    private static final byte HANDSHAKE = 22;
    private static final byte ALERT = 21;
    /** In a record: type, version, length; then the message's type and length, version, random bytes, and what the client offers. */
    private static final int[] NUMBERS = {1, 3, 6, 9, 43};

    private final Random random;
    private final Mutator mutator;

    HelloSequence(Random random) {
        this.random = random;
        this.mutator = new Mutator(random);
    }

    /** @return records sent */
    int play(int port) throws Exception {
        boolean whole = random.nextInt(5) == 0;
        byte[] hello = whole ? hello() : damaged(hello());
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoLinger(true, 0);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(whole ? GOOD_PATIENCE_MILLIS : PATIENCE_MILLIS);
            int cut = random.nextInt(hello.length + 1);
            send(socket, Arrays.copyOf(hello, cut));
            send(socket, Arrays.copyOfRange(hello, cut, hello.length));
            int first = read(socket);
            if (first >= 0 && first != HANDSHAKE && first != ALERT) {
                throw new AssertionError("a ClientHello was answered with record type " + first);
            }
            if (whole && first != HANDSHAKE) {
                throw new AssertionError("a good ClientHello was answered with " + first);
            }
        }
        return 1;
    }

    private static byte[] hello() throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine("localhost", 1);
        engine.setUseClientMode(true);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), out);
        return Arrays.copyOf(out.array(), out.position());
    }

    private byte[] damaged(byte[] hello) {
        FuzzBytes bytes = new FuzzBytes(hello);
        for (int at : NUMBERS) {
            bytes.mark(at, at == 6 ? 3 : at == 43 ? 1 : 2);
        }
        mutator.damage(bytes);
        return bytes.toArray();
    }

    /** The server may have closed the connection by now. */
    private static void send(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            // it has
        }
    }

    /** First byte that comes; -1 if none does. */
    private static int read(Socket socket) {
        try {
            return socket.getInputStream().read();
        } catch (SocketTimeoutException e) {
            return -1; // it waits for the rest
        } catch (IOException e) {
            return -1;
        }
    }
}
