package io.sluice.pulsar.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.store.segment.Answer;

/** Asks whether a producer or a consumer is connected to a partition. */
public record IsInUse(Hubs hubs) implements PartitionStep<Boolean> {
    private static final byte CODE = 36;

    /** Has this node look for others. */
    public static void register(PartitionSteps steps, Hubs hubs) {
        steps.add(CODE, in -> new IsInUse(hubs));
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
        return false;
    }

    @Override
    public void ask(PartitionLog log, Answer<Boolean> answer) {
        PartitionHub hub = hubs.find(log);
        HubView view = hub == null ? HubView.EMPTY : hub.view();
        boolean read =
                view.subscriptions().stream().anyMatch(s -> !s.consumers().isEmpty());
        answer.complete(read || !view.producers().isEmpty());
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
