package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Answer;

/** Deletes all durable subscriptions of a partition; true once that is durable. */
public record ForgetSubscriptions() implements PartitionStep<Boolean> {
    static final byte CODE = 9;

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
        log.subscriptions().deleteAll();
        log.container().barrier(answer.onceDurable(true));
    }

    @Override
    public void write(ByteBuf out) {}

    @Override
    public void writeResult(Boolean result, ByteBuf out) {
        out.writeBoolean(result);
    }

    @Override
    public Boolean readResult(ByteBuf in) {
        return in.readBoolean();
    }
}
