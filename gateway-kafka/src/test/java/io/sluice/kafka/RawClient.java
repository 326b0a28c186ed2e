package io.sluice.kafka;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;

/** One connection that speaks Kafka's messages, of any version: one at a time, or several before the first answer is read. */
public final class RawClient implements AutoCloseable {
    private final Socket socket;
    private int sent;
    private int received;

    public RawClient(int port) throws IOException {
        socket = new Socket("127.0.0.1", port);
        socket.setSoTimeout(20_000);
    }

    static byte[] frame(ApiKeys api, int version, int correlation, ApiMessage body) {
        RequestHeader header = new RequestHeader(api, (short) version, "raw", correlation);
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header.data(), api.requestHeaderVersion((short) version))
                .buffer();
        ByteBuffer rest =
                MessageUtil.toByteBufferAccessor(body, (short) version).buffer();
        ByteBuffer frame = ByteBuffer.allocate(4 + head.remaining() + rest.remaining());
        frame.putInt(head.remaining() + rest.remaining()).put(head).put(rest);
        return frame.array();
    }

    /** The response's body. */
    public ByteBufferAccessor call(ApiKeys api, short version, ApiMessage body) throws IOException {
        send(api, version, body);
        return receive(api, version);
    }

    /** Without waiting for the answer, which {@link #receive} gives. */
    public void send(ApiKeys api, short version, ApiMessage body) throws IOException {
        socket.getOutputStream().write(frame(api, version, ++sent, body));
    }

    /** The request before the next answer has none. */
    void passOver() {
        received++;
    }

    /** The request is sent in two pieces; {@code between} them. */
    ByteBufferAccessor call(ApiKeys api, short version, ApiMessage body, Runnable between) throws IOException {
        byte[] frame = frame(api, version, ++sent, body);
        int half = frame.length / 2;
        socket.getOutputStream().write(frame, 0, half);
        between.run();
        socket.getOutputStream().write(frame, half, frame.length - half);
        return receive(api, version);
    }

    /** The next response's body. */
    public ByteBufferAccessor receive(ApiKeys api, short version) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        ByteBuffer answer = ByteBuffer.wrap(bytes);
        ResponseHeader header = ResponseHeader.parse(answer, api.responseHeaderVersion(version));
        if (header.correlationId() != ++received) {
            throw new IOException("answer to " + header.correlationId() + ", not " + received);
        }
        return new ByteBufferAccessor(answer);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
