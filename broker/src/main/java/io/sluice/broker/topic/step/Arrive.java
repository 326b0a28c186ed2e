package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.open.Handover;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;

/**
 * Lets a partition go on in a segment that was made for it, unless it does: see {@link Handover#arrive}.
 *
 * @param fromContainer where the state was written
 * @param epoch what {@link Leave} gave
 * @param state not changed any more
 */
public record Arrive(long segment, int fromContainer, int epoch, byte[] state)
        implements ContainerStep<Handover.Arrived> {
    /** Takes over the state that {@link Leave} gave. */
    public static Arrive of(long segment, int fromContainer, Handover.State state) {
        return new Arrive(segment, fromContainer, state.epoch(), ByteBufUtil.getBytes(state.bytes()));
    }

    @Override
    public byte code() {
        return TopicSteps.ARRIVE;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Handover.Arrived> answer) {
        Durable arrived = Durable.of(() -> answer.complete(Handover.arrival(container, segment)), answer::fail);
        if (Handover.hasArrived(container, segment)) {
            Handover.arrived(container, arrived);
        } else {
            Handover.arrive(container, segment, fromContainer, epoch, Unpooled.wrappedBuffer(state), arrived);
        }
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeUnsigned(out, segment);
        Packed.writeUnsigned(out, fromContainer);
        Packed.writeSigned(out, epoch);
        out.writeBytes(state);
    }

    static Arrive read(ByteBuf in) {
        long segment = Packed.readUnsigned(in);
        int from = Packed.readCount(in);
        int epoch = (int) Packed.readSigned(in);
        byte[] state = new byte[in.readableBytes()];
        in.readBytes(state);
        return new Arrive(segment, from, epoch, state);
    }

    @Override
    public void writeResult(Handover.Arrived result, ByteBuf out) {
        Arrival.write(result, out);
    }

    @Override
    public Handover.Arrived readResult(ByteBuf in) {
        return Arrival.readArrived(in);
    }
}
