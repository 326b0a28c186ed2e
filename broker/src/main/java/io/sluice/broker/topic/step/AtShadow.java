package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ShadowPartitionLog;
import io.sluice.store.segment.Answer;
import java.util.UUID;

/** Carries out a step in a partition of a shadow topic, at the partition whose messages it has. */
public record AtShadow<T>(UUID topic, PartitionStep<T> step) implements PartitionStep<T> {
    static final byte CODE = 8;

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public boolean makesPartition() {
        return step.makesPartition();
    }

    @Override
    public T ofUnmade() {
        return step.ofUnmade();
    }

    @Override
    public void ask(PartitionLog log, Answer<T> answer) {
        step.ask(new ShadowPartitionLog(log, topic), answer);
    }

    @Override
    public void write(ByteBuf out) {
        out.writeLong(topic.getMostSignificantBits());
        out.writeLong(topic.getLeastSignificantBits());
        out.writeByte(step.code());
        step.write(out);
    }

    static AtShadow<?> read(PartitionSteps steps, ByteBuf in) {
        return new AtShadow<>(new UUID(in.readLong(), in.readLong()), steps.read(in));
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
