package io.sluice.server.trial;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.protocol.Commands;

/** A connection to a Pulsar service: {@code length u32 | commandSize u32 | command | message}. */
final class PulsarStream implements AutoCloseable {
    private static final int BUFFER = 256 * 1024;

    private final Socket socket;
    private final DataInputStream in;

    private PulsarStream(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER));
    }

    /** @param service {@code host:port} */
    static PulsarStream connect(String service) throws IOException {
        URI address = URI.create("pulsar://" + service);
        var connection = new PulsarStream(new Socket(address.getHost(), address.getPort()));
        connection.ask(Commands.newConnect("none", "", "sluice-train"));
        return connection;
    }

    /** @param command released */
    void send(ByteBuf command) throws IOException {
        try {
            socket.getOutputStream().write(ByteBufUtil.getBytes(command));
        } finally {
            command.release();
        }
    }

    /**
     * Sends, and reads the answer, which is the next that comes.
     *
     * @param command released
     * @throws IOException the answer is an error
     */
    void ask(ByteBuf command) throws IOException {
        send(command);
        BaseCommand answer = next();
        if (answer.getType() == BaseCommand.Type.ERROR) {
            throw new IOException(answer.getError().getMessage());
        }
    }

    /** The next command, without the message that may follow it. */
    BaseCommand next() throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        ByteBuf bytes = Unpooled.wrappedBuffer(frame);
        int size = bytes.readInt();
        var command = new BaseCommand();
        command.parseFrom(bytes, size);
        command.materialize();
        return command;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
