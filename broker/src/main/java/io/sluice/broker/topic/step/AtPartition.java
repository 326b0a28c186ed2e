package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.container.CreateSegments.NewSegment;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.StoreFailure;

/**
 * Finds a partition in its container, and carries out a step there. One that is about to come or to go fails with {@code NotOwner}.
 *
 * @param segment that the partition is appended to; made where the step makes partitions and this one may be unmade
 * @param mayBeUnmade whether a segment that is not there is a partition that is made on use
 */
public record AtPartition<T>(NewSegment segment, boolean mayBeUnmade, PartitionStep<T> step)
        implements ContainerStep<T> {
    @Override
    public byte code() {
        return TopicSteps.AT_PARTITION;
    }

    /** Whether the partition is made by this step; on the container's loop. */
    public boolean wouldMake(SegmentContainer container) {
        return mayBeUnmade && step.makesPartition() && container.info(segment.segment()) == null;
    }

    @Override
    public void begin(SegmentContainer container, Answer<T> answer) {
        SegmentInfo info = container.info(segment.segment());
        if (info == null && mayBeUnmade && !step.makesPartition()) {
            answer.complete(step.ofUnmade());
            return;
        }
        if (wouldMake(container)) {
            segment.create(container);
        }
        boolean leaves = info != null && info.sealed();
        PartitionLog log = leaves ? null : PartitionRiderFactory.find(container, segment.segment());
        if (log == null) {
            answer.fail(new StoreFailure.NotOwner(
                    container.id(), "segment " + segment.segment() + " has no partition now"));
        } else {
            step.ask(log, answer);
        }
    }

    @Override
    public void write(ByteBuf out) {
        segment.write(out);
        out.writeBoolean(mayBeUnmade);
        out.writeByte(step.code());
        step.write(out);
    }

    static AtPartition<?> read(PartitionSteps steps, ByteBuf in) {
        return of(NewSegment.read(in), in.readBoolean(), steps.read(in));
    }

    private static <T> AtPartition<T> of(NewSegment segment, boolean mayBeUnmade, PartitionStep<T> step) {
        return new AtPartition<>(segment, mayBeUnmade, step);
    }

    @Override
    public void writeResult(T result, ByteBuf out) {
        step.writeResult(result, out);
    }

    @Override
    public T readResult(ByteBuf in) {
        return step.readResult(in);
    }
}
