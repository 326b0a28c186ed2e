package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.container.SegmentList;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.topic.step.FindSubscriptions.Found;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks which durable subscriptions any of some partitions has, those of shadow topics too, by their stored names.
 *
 * @param mayBeUnmade whether a segment that is not there is a partition without subscriptions
 */
public record FindSubscriptions(List<Long> segments, boolean mayBeUnmade) implements ContainerStep<Found> {
    /** The result where all partitions are there. */
    static final long NONE = -1;

    public FindSubscriptions {
        segments = List.copyOf(segments);
    }

    /**
     * Subscriptions with their properties.
     *
     * @param notHere segment of a partition that is not there, so that nothing is known; negative if all are
     */
    public record Found(long notHere, Map<String, Map<String, String>> properties) {
        public boolean isComplete() {
            return notHere < 0;
        }
    }

    @Override
    public byte code() {
        return TopicSteps.SUBSCRIPTIONS;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Found> answer) {
        answer.complete(find(container));
    }

    private Found find(SegmentContainer container) {
        Map<String, Map<String, String>> found = new HashMap<>();
        for (long segment : segments) {
            if (mayBeUnmade && container.info(segment) == null) {
                continue;
            }
            PartitionLog log = PartitionRiderFactory.find(container, segment);
            if (log == null) {
                return new Found(segment, Map.of());
            }
            found.putAll(log.subscriptions().stored());
        }
        return new Found(NONE, found);
    }

    @Override
    public void write(ByteBuf out) {
        SegmentList.write(segments, out);
        out.writeBoolean(mayBeUnmade);
    }

    static FindSubscriptions read(ByteBuf in) {
        return new FindSubscriptions(SegmentList.read(in), in.readBoolean());
    }

    @Override
    public void writeResult(Found result, ByteBuf out) {
        Packed.writeSigned(out, result.notHere());
        SubscribeFromStart.write(result.properties(), out);
    }

    @Override
    public Found readResult(ByteBuf in) {
        return new Found(Packed.readSigned(in), SubscribeFromStart.readSubscriptions(in));
    }
}
