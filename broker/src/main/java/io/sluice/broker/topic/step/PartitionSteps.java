package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Kinds of steps in partitions that this node carries out for others, by number: those of this package, up to 31, and those that gateways
 * add once they are there. Any thread.
 */
public final class PartitionSteps {
    private final Map<Byte, Function<ByteBuf, ? extends PartitionStep<?>>> readers = new ConcurrentHashMap<>();

    /** With those of this package. */
    public PartitionSteps() {
        for (PartitionEnd each : PartitionEnd.values()) {
            add(each.code(), in -> each);
        }
        add(PartitionSubscriptionNames.CODE, in -> new PartitionSubscriptionNames());
        add(SubscribePartition.CODE, SubscribePartition::read);
        add(LookAtSubscription.CODE, LookAtSubscription::read);
        add(ChangeIdleSubscription.CODE, ChangeIdleSubscription::read);
        add(AtShadow.CODE, in -> AtShadow.read(this, in));
        add(ForgetSubscriptions.CODE, in -> new ForgetSubscriptions());
    }

    /** @param reader of what {@link PartitionStep#write} has written */
    public PartitionSteps add(byte code, Function<ByteBuf, ? extends PartitionStep<?>> reader) {
        if (readers.putIfAbsent(code, reader) != null) {
            throw new IllegalStateException("two steps in partitions have the number " + code);
        }
        return this;
    }

    /**
     * Reads a step, whose number comes first.
     *
     * @throws IllegalArgumentException the kind is not known here, as between servers of different versions
     */
    public PartitionStep<?> read(ByteBuf in) {
        byte code = in.readByte();
        Function<ByteBuf, ? extends PartitionStep<?>> reader = readers.get(code);
        if (reader == null) {
            throw new IllegalArgumentException("step " + code + " in a partition is not known here");
        }
        return reader.apply(in);
    }
}
