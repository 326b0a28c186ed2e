package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.protocol.Commands;

/** A connection that says what the test wants, and nothing by itself. */
final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(socket.getInputStream());
    }

    static RawClient connect(TestGateway gateway) throws IOException {
        return connect(gateway.port());
    }

    static RawClient connect(int port) throws IOException {
        return connect(port, new Socket());
    }

    /** A client that says it is of this version. */
    static RawClient connect(TestGateway gateway, String version) throws IOException {
        return connect(gateway.port(), new Socket(), version);
    }

    /** Its socket takes no more than about so many bytes that were not read yet. */
    static RawClient connect(TestGateway gateway, int receiveBytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(receiveBytes);
        return connect(gateway.port(), socket);
    }

    private static RawClient connect(int port, Socket socket) throws IOException {
        return connect(port, socket, "test");
    }

    private static RawClient connect(int port, Socket socket, String version) throws IOException {
        return connect(port, socket, Commands.newConnect("none", "", version));
    }

    /** A client that has not said CONNECT yet. */
    static RawClient unconnected(int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        socket.setSoTimeout(30_000);
        return new RawClient(socket);
    }

    /** A client that says CONNECT in this way, and is let in. */
    static RawClient connect(int port, ByteBuf connect) throws IOException {
        return connect(port, new Socket(), connect);
    }

    private static RawClient connect(int port, Socket socket, ByteBuf connect) throws IOException {
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        socket.setSoTimeout(30_000);
        RawClient client = new RawClient(socket);
        client.write(connect);
        client.expect(BaseCommand.Type.CONNECTED);
        return client;
    }

    void write(ByteBuf frame) throws IOException {
        socket.getOutputStream().write(ByteBufUtil.getBytes(frame));
        frame.release();
    }

    BaseCommand read() throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        ByteBuf b = Unpooled.wrappedBuffer(frame);
        BaseCommand command = new BaseCommand();
        command.parseFrom(b, b.readInt());
        return command;
    }

    BaseCommand expect(BaseCommand.Type type) throws IOException {
        BaseCommand command = read();
        assertThat(command.getType()).isEqualTo(type);
        return command;
    }

    /** True when the server ends the connection before it says anything. */
    boolean isEnded() throws IOException {
        try {
            return in.read() < 0;
        } catch (EOFException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
