package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.MissingSegments.Found;
import io.sluice.broker.entry.Packed;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;
import java.util.List;

/** Asks which of some segments are not there, and in which term of the container. */
public record MissingSegments(List<Long> segments) implements ContainerStep<Found> {
    static final byte CODE = 5;

    public MissingSegments {
        segments = List.copyOf(segments);
    }

    /** @param term of the container */
    public record Found(long term, List<Long> missing) {}

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Found> answer) {
        List<Long> missing =
                segments.stream().filter(each -> container.info(each) == null).toList();
        answer.complete(new Found(container.term(), missing));
    }

    @Override
    public void write(ByteBuf out) {
        SegmentList.write(segments, out);
    }

    static MissingSegments read(ByteBuf in) {
        return new MissingSegments(SegmentList.read(in));
    }

    @Override
    public void writeResult(Found result, ByteBuf out) {
        Packed.writeUnsigned(out, result.term());
        SegmentList.write(result.missing(), out);
    }

    @Override
    public Found readResult(ByteBuf in) {
        return new Found(Packed.readUnsigned(in), SegmentList.read(in));
    }
}
