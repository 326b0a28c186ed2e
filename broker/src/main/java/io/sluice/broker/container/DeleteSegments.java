package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import java.util.List;

/** Deletes those of some segments that are there; done when that is durable. */
public record DeleteSegments(List<Long> segments) implements ContainerStep<Boolean> {
    static final byte CODE = 2;

    public DeleteSegments {
        segments = List.copyOf(segments);
    }

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Boolean> answer) {
        for (long segment : segments) {
            if (container.info(segment) != null) {
                container.delete(segment, Durable.IGNORED);
            }
        }
        container.barrier(answer.onceDurable(true));
    }

    @Override
    public void write(ByteBuf out) {
        SegmentList.write(segments, out);
    }

    static DeleteSegments read(ByteBuf in) {
        return new DeleteSegments(SegmentList.read(in));
    }

    @Override
    public void writeResult(Boolean result, ByteBuf out) {}

    @Override
    public Boolean readResult(ByteBuf in) {
        return true;
    }
}
