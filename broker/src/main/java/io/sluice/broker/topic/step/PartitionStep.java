package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Answer;

/** A step in one partition, on the loop of its container, with a form for the way to another node; see {@link AtPartition}. */
public interface PartitionStep<T> {
    /** Number of the kind of step; never used for another. */
    byte code();

    /** Whether it has to have a partition that is made; else {@link #ofUnmade} is the result where none is. */
    boolean makesPartition();

    /** Result where the partition is not made, and so has nothing. */
    T ofUnmade();

    /** Begins the step on the loop of the partition's container. */
    void ask(PartitionLog log, Answer<T> answer);

    void write(ByteBuf out);

    void writeResult(T result, ByteBuf out);

    T readResult(ByteBuf in);
}
