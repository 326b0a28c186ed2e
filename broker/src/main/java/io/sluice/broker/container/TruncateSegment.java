package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;

/** Lets the bytes of a segment below a position go; one that is not there has none. Done when that is durable. */
public record TruncateSegment(long segment, long position) implements ContainerStep<Boolean> {
    static final byte CODE = 3;

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Boolean> answer) {
        if (container.info(segment) == null) {
            container.barrier(answer.onceDurable(true));
        } else {
            container.truncate(segment, position, answer.onceDurable(true));
        }
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeUnsigned(out, segment);
        Packed.writeUnsigned(out, position);
    }

    static TruncateSegment read(ByteBuf in) {
        return new TruncateSegment(Packed.readUnsigned(in), Packed.readUnsigned(in));
    }

    @Override
    public void writeResult(Boolean result, ByteBuf out) {}

    @Override
    public Boolean readResult(ByteBuf in) {
        return true;
    }
}
