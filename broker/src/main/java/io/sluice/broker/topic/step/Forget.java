package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.open.Handover;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;

/** Lets a place forget the state of a partition that goes on elsewhere: see {@link Handover#left}. */
public record Forget(long segment) implements ContainerStep<Boolean> {
    @Override
    public byte code() {
        return TopicSteps.FORGET;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Boolean> answer) {
        Handover.left(container, segment, answer.onceDurable(true));
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeUnsigned(out, segment);
    }

    static Forget read(ByteBuf in) {
        return new Forget(Packed.readUnsigned(in));
    }

    @Override
    public void writeResult(Boolean result, ByteBuf out) {}

    @Override
    public Boolean readResult(ByteBuf in) {
        return true;
    }
}
