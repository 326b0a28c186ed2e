package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.container.ContainerSteps;
import io.sluice.broker.container.CreateSegments.NewSegment;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.SegmentKinds;

/** Numbers of the steps of this package, from 6 to 13, and what they have in common. */
public final class TopicSteps {
    static final byte IS_LEAVING = 6;
    static final byte LEAVE = 7;
    static final byte ARRIVAL = 8;
    static final byte ARRIVE = 9;
    static final byte FORGET = 10;
    static final byte SUBSCRIPTIONS = 11;
    static final byte SUBSCRIBE = 12;
    static final byte AT_PARTITION = 13;

    private TopicSteps() {}

    /**
     * Has this node carry them out for others.
     *
     * @param inPartitions that others may ask for
     */
    public static ContainerSteps all(PartitionSteps inPartitions) {
        return new ContainerSteps()
                .add(IS_LEAVING, IsLeaving::read)
                .add(LEAVE, Leave::read)
                .add(ARRIVAL, Arrival::read)
                .add(ARRIVE, Arrive::read)
                .add(FORGET, Forget::read)
                .add(SUBSCRIPTIONS, FindSubscriptions::read)
                .add(SUBSCRIBE, SubscribeFromStart::read)
                .add(AT_PARTITION, in -> AtPartition.read(inPartitions, in));
    }

    /** A partition's segment that is to be there. */
    public static NewSegment segment(long segment, PartitionAttributes attributes) {
        ByteBuf bytes = Unpooled.buffer();
        attributes.write(bytes);
        return new NewSegment(segment, SegmentKinds.PARTITION, ByteBufUtil.getBytes(bytes));
    }
}
