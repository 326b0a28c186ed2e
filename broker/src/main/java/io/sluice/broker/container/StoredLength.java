package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;

/** Asks how much of a segment is in long-term storage: the position where that ends. A segment that is not there has no byte left to store. */
public record StoredLength(long segment) implements ContainerStep<Long> {
    /** Above those of steps of topics. */
    static final byte CODE = 14;

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Long> answer) {
        SegmentInfo info = container.info(segment);
        answer.complete(info == null ? Long.MAX_VALUE : info.tieredLength());
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeUnsigned(out, segment);
    }

    static StoredLength read(ByteBuf in) {
        return new StoredLength(Packed.readUnsigned(in));
    }

    @Override
    public void writeResult(Long result, ByteBuf out) {
        out.writeLong(result);
    }

    @Override
    public Long readResult(ByteBuf in) {
        return in.readLong();
    }
}
