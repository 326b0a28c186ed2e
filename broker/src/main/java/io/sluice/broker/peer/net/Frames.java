package io.sluice.broker.peer.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerIdentity;
import java.nio.charset.StandardCharsets;

/**
 * Frames as they go over the wire, numbers with the highest byte first.
 *
 * <pre>
 *   question: length 4, correlation id 4, kind 2, version 2, milliseconds until the deadline 4, body
 *   answer:   length 4, correlation id 4, status 1, body or, if the status is not 0, a line that says why
 * </pre>
 *
 * <p>The length is of what follows it. The first question of a connection is HELLO with the correlation id 0, and its body is {@link Hello};
 * whoever opened the connection asks, the other end answers.
 */
final class Frames {
    static final short HELLO = 0;
    /** A sign of life is asked for; the answer has no body. */
    static final short PING = -1;

    /** Shows that the asking end knows the cluster's secret: a nonce of 32 bytes, and a proof of 32 (see {@link Exchange}). */
    static final short PROOF = -2;

    /** Version of HELLO, which stays as it is so that servers of all versions can tell each other why they do not fit. */
    static final short PROTOCOL = 1;

    static final int QUESTION_HEADER = 12;
    static final int ANSWER_HEADER = 5;

    static final byte OK = 0;
    /** To a hello: the asking end is to send a {@link #PROOF}; a line, with a nonce in base64 at its end. */
    static final byte CHALLENGE = 6;
    /** To a proof: it is none. A line that says so. */
    static final byte DISTRUSTED = 7;

    private static final int MOST_MESSAGE = 1 << 10;

    private Frames() {}

    /**
     * First words of each end.
     *
     * @param identity of the end that speaks
     * @param node number of the node that is meant to hear it
     */
    record Hello(PeerIdentity identity, int node) {
        /** Maximum size. */
        static final int MOST_BYTES = 2 << 10;

        byte[] bytes() {
            ByteBuf out = Unpooled.buffer();
            Packed.writeString(out, identity.clusterId());
            out.writeInt(identity.node());
            Packed.writeString(out, identity.incarnation());
            out.writeInt(node);
            return ByteBufUtil.getBytes(out);
        }

        /** @throws RuntimeException these are none */
        static Hello read(byte[] bytes) {
            ByteBuf in = Unpooled.wrappedBuffer(bytes);
            String cluster = Packed.readString(in);
            int from = in.readInt();
            return new Hello(new PeerIdentity(cluster, from, Packed.readString(in)), in.readInt());
        }
    }

    static ByteBuf question(
            ByteBufAllocator allocator, int correlation, short kind, short version, int millis, byte[] body) {
        ByteBuf header = allocator.ioBuffer(4 + QUESTION_HEADER);
        header.writeInt(QUESTION_HEADER + body.length);
        header.writeInt(correlation);
        header.writeShort(kind).writeShort(version);
        header.writeInt(millis);
        return with(allocator, header, body);
    }

    static ByteBuf answer(ByteBufAllocator allocator, int correlation, byte status, byte[] body) {
        ByteBuf header = allocator.ioBuffer(4 + ANSWER_HEADER);
        header.writeInt(ANSWER_HEADER + body.length);
        header.writeInt(correlation);
        header.writeByte(status);
        return with(allocator, header, body);
    }

    private static ByteBuf with(ByteBufAllocator allocator, ByteBuf header, byte[] body) {
        if (body.length == 0) {
            return header;
        }
        return allocator.compositeBuffer(2).addComponent(true, header).addComponent(true, Unpooled.wrappedBuffer(body));
    }

    static byte[] message(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MOST_MESSAGE ? bytes : java.util.Arrays.copyOf(bytes, MOST_MESSAGE);
    }

    static String line(byte[] message) {
        return new String(message, StandardCharsets.UTF_8);
    }

    /** Numbers of failures on the wire; those that an end finds by itself never go there. */
    static byte status(Reason reason) {
        return switch (reason) {
            case OVERLOADED -> 1;
            case NOT_OWNER -> 2;
            case REFUSED -> 3;
            case NOT_KNOWN -> 4;
            case FAILED, UNREACHABLE, CONNECTION_LOST, TIMED_OUT -> 5;
        };
    }

    /** Failures that a later version may add are those of the other node. */
    static Reason reason(byte status) {
        return switch (status) {
            case 1 -> Reason.OVERLOADED;
            case 2 -> Reason.NOT_OWNER;
            case 3 -> Reason.REFUSED;
            case 4 -> Reason.NOT_KNOWN;
            default -> Reason.FAILED;
        };
    }
}
