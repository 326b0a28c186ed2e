package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of steps on their way between nodes.
 *
 * <pre>
 *   question: container (packed), code 1, as {@link ContainerStep#write}
 *   answer:   0, as {@link ContainerStep#writeResult}; or the number of a failure of the store, two numbers (signed, packed), its message
 * </pre>
 */
final class StepFrames {
    private static final byte RESULT = 0;
    private static final byte NOT_OWNER = 1;
    private static final byte OVERLOADED = 2;
    private static final byte NO_SUCH_SEGMENT = 3;
    private static final byte SEALED = 4;
    private static final byte OUT_OF_RANGE = 5;
    private static final byte TOO_LARGE = 6;
    private static final byte TIER_UNAVAILABLE = 7;
    private static final byte CORRUPT = 8;

    private StepFrames() {}

    static byte[] question(int container, ContainerStep<?> step) {
        ByteBuf out = Unpooled.buffer();
        Packed.writeUnsigned(out, container);
        out.writeByte(step.code());
        step.write(out);
        return ByteBufUtil.getBytes(out);
    }

    static <T extends @Nullable Object> byte[] answer(ContainerStep<T> step, T result) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(RESULT);
        step.writeResult(result, out);
        return ByteBufUtil.getBytes(out, 0, out.writerIndex(), false);
    }

    static byte[] failure(StoreFailure why) {
        return switch (why) {
            case StoreFailure.NotOwner it -> failure(NOT_OWNER, it.container(), 0, it.message());
            case StoreFailure.Overloaded it -> failure(OVERLOADED, 0, 0, it.message());
            case StoreFailure.NoSuchSegment it -> failure(NO_SUCH_SEGMENT, it.segment(), 0, it.message());
            case StoreFailure.Sealed it -> failure(SEALED, it.segment(), 0, it.message());
            case StoreFailure.OutOfRange it -> failure(OUT_OF_RANGE, it.segment(), it.position(), it.message());
            case StoreFailure.TooLarge it -> failure(TOO_LARGE, it.size(), it.limit(), it.message());
            case StoreFailure.TierUnavailable it -> failure(TIER_UNAVAILABLE, 0, 0, it.message());
            case StoreFailure.Corrupt it -> failure(CORRUPT, 0, 0, it.message());
        };
    }

    private static byte[] failure(byte kind, long one, long two, String message) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(kind);
        Packed.writeSigned(out, one);
        Packed.writeSigned(out, two);
        Packed.writeString(out, message);
        return ByteBufUtil.getBytes(out);
    }

    /** @throws StoreException the store of the other node has declined */
    static <T extends @Nullable Object> T read(ContainerStep<T> step, byte[] answer) {
        ByteBuf in = Unpooled.wrappedBuffer(answer);
        byte kind = in.readByte();
        if (kind == RESULT) {
            return step.readResult(in);
        }
        long one = Packed.readSigned(in);
        long two = Packed.readSigned(in);
        throw new StoreException(failure(kind, one, two, in));
    }

    private static StoreFailure failure(byte kind, long one, long two, ByteBuf in) {
        String message = Packed.readString(in);
        return switch (kind) {
            case NOT_OWNER -> new StoreFailure.NotOwner((int) one, message);
            case OVERLOADED -> new StoreFailure.Overloaded(message);
            case NO_SUCH_SEGMENT -> new StoreFailure.NoSuchSegment(one, message);
            case SEALED -> new StoreFailure.Sealed(one, message);
            case OUT_OF_RANGE -> new StoreFailure.OutOfRange(one, two, message);
            case TOO_LARGE -> new StoreFailure.TooLarge(one, two, message);
            case TIER_UNAVAILABLE -> new StoreFailure.TierUnavailable(message);
            case CORRUPT -> new StoreFailure.Corrupt(message);
            default -> throw new IllegalStateException("failure " + kind + " of another node is not known: " + message);
        };
    }
}
