package io.sluice.broker;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;

/** Deletes a subscription in a partition other than {@code used}. */
public record DeleteSubscription(String name, long used) implements PartitionStep<Boolean> {
    static final byte CODE = 127;

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public boolean makesPartition() {
        return false;
    }

    @Override
    public Boolean ofUnmade() {
        return true;
    }

    @Override
    public void ask(PartitionLog log, Answer<Boolean> answer) {
        if (log.partitionId() != used && log.subscriptions().find(name) != null) {
            log.subscriptions().delete(name, Durable.IGNORED);
        }
        log.container().barrier(answer.onceDurable(true));
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, name);
        out.writeLong(used);
    }

    static DeleteSubscription read(ByteBuf in) {
        return new DeleteSubscription(Packed.readString(in), in.readLong());
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
