package io.sluice.broker.peer.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.peer.PeerIdentity;
import io.sluice.broker.peer.net.Frames.Hello;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;

/** An end of the protocol that sends what it is told, right or wrong. */
final class RawPeer implements AutoCloseable {
    private static final int SOON_MILLIS = 60_000;

    private final Socket socket;
    private final DataInputStream in;

    RawPeer(Endpoint to) throws IOException {
        socket = new Socket(to.host(), to.port());
        socket.setSoTimeout(SOON_MILLIS);
        in = new DataInputStream(socket.getInputStream());
    }

    /** Agrees to the hello of a node that has connected. */
    static void agree(Socket socket, String cluster, int node, int other) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.readNBytes(in.readInt());
        byte[] hello = new Hello(new PeerIdentity(cluster, node, "raw"), other).bytes();
        socket.getOutputStream().write(bytes(Frames.answer(UnpooledByteBufAllocator.DEFAULT, 0, Frames.OK, hello)));
    }

    static byte[] hello(String cluster, int node, int other) {
        return question(0, Frames.HELLO, new Hello(new PeerIdentity(cluster, node, "raw"), other).bytes());
    }

    static byte[] question(int correlation, int kind, byte[] body) {
        return bytes(Frames.question(
                UnpooledByteBufAllocator.DEFAULT, correlation, (short) kind, (short) 0, SOON_MILLIS, body));
    }

    private static byte[] bytes(ByteBuf frame) {
        try {
            return ByteBufUtil.getBytes(frame);
        } finally {
            frame.release();
        }
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Body of the next answer. */
    byte[] answer() throws IOException {
        int length = in.readInt();
        in.readNBytes(Frames.ANSWER_HEADER);
        return in.readNBytes(length - Frames.ANSWER_HEADER);
    }

    /** Whether the other end closes the connection after what it may still say, for which it has a minute. */
    boolean isClosedByOther() {
        try {
            in.readAllBytes();
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // reset, with bytes unread
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
