package io.sluice.tiering;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierReply;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An answer, checked against the bytes that every test writes. */
final class CollectedReply implements TierReply {
    private final long segment;
    private final long asked;
    private final Runnable again;
    private int answers;
    int length;
    boolean shared;
    int handedBack;

    @Nullable
    StoreFailure failure;

    CollectedReply(long segment, long asked, Consumer<CollectedReply> again) {
        this.segment = segment;
        this.asked = asked;
        this.again = () -> again.accept(this);
    }

    @Override
    public void data(long position, ByteBuf data, boolean toBeShared) {
        once();
        length = data.readableBytes();
        shared = toBeShared;
        if (position != asked || length < 1) {
            throw new AssertionError("Asked at " + asked + ", got " + length + " at " + position);
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
    public void again() {
        handedBack++;
        again.run();
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
