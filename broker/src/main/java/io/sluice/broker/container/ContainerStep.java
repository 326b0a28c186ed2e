package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;
import org.jspecify.annotations.Nullable;

/**
 * A step in one container that any node may want done: it runs on the container's loop, and question and answer have a form for the way to
 * another node. It may be carried out twice, or after whoever wanted it has given up; so each step leaves what is done as it is.
 *
 * @param <T> result; one that holds buffers is the receiver's
 */
public interface ContainerStep<T extends @Nullable Object> {
    /** Number of the kind of step, which is never used for another; see {@link ContainerSteps}. */
    byte code();

    /** Begins the step on the container's loop; see {@link SegmentContainer.LaterStep}. */
    void begin(SegmentContainer container, Answer<T> answer) throws Exception;

    /** Writes the question, which {@link ContainerSteps} reads. */
    void write(ByteBuf out);

    /** Writes a result, and lets it go. */
    void writeResult(T result, ByteBuf out);

    /** Reads what {@link #writeResult} wrote. */
    T readResult(ByteBuf in);
}
