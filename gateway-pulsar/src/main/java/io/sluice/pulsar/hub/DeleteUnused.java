package io.sluice.pulsar.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;

/** Deletes a durable subscription of a partition to which no consumer is connected there; true once that, or none, is durable. */
public record DeleteUnused(String subscription, Hubs hubs) implements PartitionStep<Boolean> {
    private static final byte CODE = 34;

    /** Has this node delete for others. */
    public static void register(PartitionSteps steps, Hubs hubs) {
        steps.add(CODE, in -> new DeleteUnused(Packed.readString(in), hubs));
    }

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
        PartitionHub hub = hubs.find(log);
        if (hub != null && hub.subscriptions().connected(subscription) != null) {
            answer.complete(false);
            return;
        }
        if (log.subscriptions().find(subscription) != null) {
            log.subscriptions().delete(subscription, Durable.IGNORED);
        }
        log.container().barrier(answer.onceDurable(true));
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, subscription);
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
