package io.sluice.tiering;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.StoreFailure;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An answer, checked against the bytes that every test writes. */
final class CollectedReply implements ReadReply {
    private final long segment;
    private final long asked;
    private final int maxBytes;
    private int answers;
    int length;

    @Nullable
    StoreFailure failure;

    CollectedReply(long segment, long asked, int maxBytes) {
        this.segment = segment;
        this.asked = asked;
        this.maxBytes = maxBytes;
    }

    @Override
    public void data(long position, ByteBuf data) {
        once();
        length = data.readableBytes();
        if (position != asked || length < 1 || length > maxBytes) {
            throw new AssertionError("Asked for " + maxBytes + " at " + asked + ", got " + length + " at " + position);
        }
        byte[] bytes = new byte[length];
        data.readBytes(bytes);
        int wrong = Arrays.mismatch(bytes, ModelState.bytes(segment, position, length));
        if (wrong >= 0) {
            throw new AssertionError("Wrong byte at " + (position + wrong) + " of " + segment);
        }
        data.release();
    }

    @Override
    public void failed(StoreFailure why) {
        once();
        failure = why;
    }

    boolean answered() {
        return answers == 1;
    }

    private void once() {
        if (++answers > 1) {
            throw new AssertionError("Answered twice");
        }
    }
}
