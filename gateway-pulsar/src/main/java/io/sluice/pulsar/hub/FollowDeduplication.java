package io.sluice.pulsar.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.pulsar.namespace.Deduplication;
import io.sluice.store.segment.Answer;

/** Makes the connected producers of a partition follow what holds for duplicates now; true when they do. */
public record FollowDeduplication(Deduplication.Rule rule, Hubs hubs) implements PartitionStep<Boolean> {
    private static final byte CODE = 37;

    /** Has this node follow what others say. */
    public static void register(PartitionSteps steps, Hubs hubs) {
        steps.add(CODE, in -> new FollowDeduplication(new Deduplication.Rule(in.readBoolean(), in.readInt()), hubs));
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
        if (hub != null) {
            hub.deduplicate(producer -> rule.producerId(log, producer));
        }
        answer.complete(true);
    }

    @Override
    public void write(ByteBuf out) {
        out.writeBoolean(rule.on());
        out.writeInt(rule.period());
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
