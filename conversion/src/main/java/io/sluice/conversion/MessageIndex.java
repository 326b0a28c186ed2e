package io.sluice.conversion;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.jspecify.annotations.Nullable;

/**
 * Place of a message in a Protobuf file, as Confluent's serializers write it: how many numbers there are, then each, from the file's message
 * inwards, as zigzag varints. The first message of a file is a zero alone, or written out as a one and a zero.
 */
final class MessageIndex {
    private static final List<Integer> FIRST = List.of(0);

    /** Messages within messages; Protobuf's own library has a limit of this size. */
    private static final int MOST = 32;

    private MessageIndex() {}

    static byte[] write(List<Integer> path) {
        if (path.equals(FIRST)) {
            return new byte[1];
        }
        ByteBuffer out = ByteBuffer.allocate(5 * (path.size() + 1));
        ByteUtils.writeVarint(path.size(), out);
        path.forEach(each -> ByteUtils.writeVarint(each, out));
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    /** The bytes of this path at {@code at} in a value; null if there is another one, or none. */
    static byte @Nullable [] find(ByteBuffer value, int at, List<Integer> path) {
        ByteBuffer in = value.duplicate();
        in.position(at);
        try {
            int count = ByteUtils.readVarint(in);
            boolean same = count == 0 && path.equals(FIRST) || count == path.size() && count <= MOST;
            for (int i = 0; same && i < count; i++) {
                same = ByteUtils.readVarint(in) == path.get(i);
            }
            if (!same) {
                return null;
            }
        } catch (RuntimeException e) { // too short, or no number: what Kafka throws of them is not narrower
            return null;
        }
        byte[] bytes = new byte[in.position() - at];
        value.get(at, bytes);
        return bytes;
    }
}
