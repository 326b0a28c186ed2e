package io.sluice.pulsar.scalable;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.store.segment.Answer;

/**
 * Asks a topic's controller how many stream consumers a subscription has.
 *
 * @param moved the subscription was moved to other messages, of which the controller is told
 * @param there stream consumers of the node that carries the step out
 */
record AskStreamConsumers(TopicName topic, String subscription, boolean moved, StreamConsumers there)
        implements PartitionStep<Integer> {
    private static final byte CODE = 33;

    /** Has this node answer others. */
    static void register(PartitionSteps steps, StreamConsumers here) {
        steps.add(CODE, in -> {
            TopicName topic = new TopicName(Packed.readString(in), Packed.readString(in), Packed.readString(in));
            return new AskStreamConsumers(topic, Packed.readString(in), in.readBoolean(), here);
        });
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
    public Integer ofUnmade() {
        return 0;
    }

    @Override
    public void ask(PartitionLog log, Answer<Integer> answer) {
        if (moved) {
            there.lookAgain(topic, subscription);
        }
        answer.complete(there.countHere(topic, subscription));
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, topic.tenant());
        Packed.writeString(out, topic.namespace());
        Packed.writeString(out, topic.local());
        Packed.writeString(out, subscription);
        out.writeBoolean(moved);
    }

    @Override
    public void writeResult(Integer result, ByteBuf out) {
        Packed.writeUnsigned(out, result);
    }

    @Override
    public Integer readResult(ByteBuf in) {
        return Packed.readCount(in);
    }
}
