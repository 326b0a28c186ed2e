package io.sluice.server.check;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.protocol.Commands;

/** A connection that asks one thing at a time and waits for the answer: {@code length u32 | commandSize u32 | command | message}. */
final class PulsarConnection implements AutoCloseable {
    private static final int LARGEST_FRAME = 1 << 20; // the check's own messages are small

    private final Socket socket;
    private final DataInputStream in;
    private final String server;
    private final Deadline deadline;

    private PulsarConnection(Socket socket, DataInputStream in, Address address, Deadline deadline) {
        this.socket = socket;
        this.in = in;
        this.server = "Pulsar at " + address;
        this.deadline = deadline;
    }

    static PulsarConnection open(Address address, Credentials credentials, Deadline deadline) throws CheckException {
        Socket socket = address.connect("Pulsar", credentials.tls(), deadline);
        try {
            var connection =
                    new PulsarConnection(socket, new DataInputStream(socket.getInputStream()), address, deadline);
            connection.ask(
                    Commands.newConnect(credentials.pulsarMethod(), credentials.pulsarData(), "sluice-check"),
                    BaseCommand.Type.CONNECTED);
            return connection;
        } catch (IOException e) {
            throw new CheckException("cannot connect to Pulsar at " + address + ": " + e.getMessage());
        }
    }

    /** An answer, and what follows the command in its frame. */
    record Answer(BaseCommand command, ByteBuf message) {}

    /** @param question released */
    Answer ask(ByteBuf question, BaseCommand.Type expected) throws CheckException {
        send(question);
        return await(expected);
    }

    /** @param command released */
    void send(ByteBuf command) throws CheckException {
        try {
            socket.getOutputStream().write(ByteBufUtil.getBytes(command));
        } catch (IOException e) {
            throw new CheckException(server + " ended the connection: " + e.getMessage());
        } finally {
            command.release();
        }
    }

    private Answer await(BaseCommand.Type expected) throws CheckException {
        while (true) {
            Answer answer = read(expected);
            switch (answer.command().getType()) {
                case PING -> send(Commands.newPong());
                case ERROR ->
                    throw new CheckException(
                            server + ": " + answer.command().getError().getMessage());
                case SEND_ERROR ->
                    throw new CheckException(
                            server + ": " + answer.command().getSendError().getMessage());
                case BaseCommand.Type type
                when type == expected -> {
                    return answer;
                }
                default ->
                    throw new CheckException(
                            server + " answered " + answer.command().getType() + ", expected was " + expected);
            }
        }
    }

    private Answer read(BaseCommand.Type expected) throws CheckException {
        try {
            socket.setSoTimeout(deadline.millisLeft());
            int size = in.readInt();
            if (size < 4 || size > LARGEST_FRAME) {
                throw new CheckException(server + " does not speak Pulsar's protocol");
            }
            byte[] frame = new byte[size];
            in.readFully(frame);
            ByteBuf rest = Unpooled.wrappedBuffer(frame);
            int commandSize = rest.readInt();
            BaseCommand command = new BaseCommand();
            command.parseFrom(rest.readSlice(commandSize), commandSize);
            command.materialize();
            return new Answer(command, rest);
        } catch (SocketTimeoutException e) {
            throw new CheckException(server + " did not answer " + expected + " within " + deadline.seconds() + " s");
        } catch (EOFException e) {
            throw new CheckException(server + " ended the connection");
        } catch (IOException e) {
            throw new CheckException(server + ": " + e.getMessage());
        } catch (RuntimeException e) {
            throw new CheckException(server + " does not speak Pulsar's protocol: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // What was asked has been answered.
        }
    }
}
