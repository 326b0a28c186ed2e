package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.open.Handover;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;

/** Asks whether a partition has begun to leave: see {@link Handover#isLeaving}. */
public record IsLeaving(long segment) implements ContainerStep<Boolean> {
    @Override
    public byte code() {
        return TopicSteps.IS_LEAVING;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Boolean> answer) {
        answer.complete(Handover.isLeaving(container, segment));
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeUnsigned(out, segment);
    }

    static IsLeaving read(ByteBuf in) {
        return new IsLeaving(Packed.readUnsigned(in));
    }

    @Override
    public void writeResult(Boolean result, ByteBuf out) {
        out.writeBoolean(result);
    }

    @Override
    public Boolean readResult(ByteBuf in) {
        return in.readBoolean();
    }
}
