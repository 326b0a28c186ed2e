package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.container.CreateSegments;
import io.sluice.broker.container.CreateSegments.NewSegment;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.open.Handover;
import io.sluice.broker.topic.step.Leave.Left;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ends a partition where it is: see {@link Handover#leave}. One whose state is too large for the way goes on as before.
 *
 * @param toBeMade segments that are made first, unless they are there: so that a partition cannot be made when it has moved
 * @param mostBytes of its state; {@link Integer#MAX_VALUE} takes any
 */
public record Leave(long segment, List<NewSegment> toBeMade, int mostBytes) implements ContainerStep<Left> {
    public Leave {
        toBeMade = List.copyOf(toBeMade);
    }

    /**
     * Outcome of the step.
     *
     * @param state null if it is too large
     * @param bytes of the state, or about as many
     */
    public record Left(Handover.@Nullable State state, long bytes) {}

    @Override
    public byte code() {
        return TopicSteps.LEAVE;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Left> answer) {
        toBeMade.forEach(each -> each.create(container));
        if (mostBytes < Integer.MAX_VALUE && !Handover.isLeaving(container, segment)) {
            long bytes = Handover.stateBytes(container, segment);
            if (bytes > mostBytes) {
                answer.complete(new Left(null, bytes));
                return;
            }
        }
        Handover.leave(
                container,
                segment,
                state -> answer.complete(new Left(state, state.bytes().readableBytes())),
                answer::fail);
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeUnsigned(out, segment);
        CreateSegments.writeAll(toBeMade, out);
        out.writeInt(mostBytes);
    }

    static Leave read(ByteBuf in) {
        return new Leave(Packed.readUnsigned(in), CreateSegments.readAll(in), in.readInt());
    }

    @Override
    public void writeResult(Left result, ByteBuf out) {
        Handover.State state = result.state();
        out.writeBoolean(state != null);
        Packed.writeUnsigned(out, result.bytes());
        if (state != null) {
            Packed.writeSigned(out, state.epoch());
            out.writeBytes(state.bytes());
        }
    }

    @Override
    public Left readResult(ByteBuf in) {
        boolean has = in.readBoolean();
        long bytes = Packed.readUnsigned(in);
        return new Left(has ? new Handover.State((int) Packed.readSigned(in), in) : null, bytes);
    }
}
