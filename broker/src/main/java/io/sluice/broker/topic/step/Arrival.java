package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.open.Handover;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks whether a partition has arrived, and is safe there from every failure: the result is empty if it has not. */
public record Arrival(long segment) implements ContainerStep<Optional<Handover.Arrived>> {
    @Override
    public byte code() {
        return TopicSteps.ARRIVAL;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Optional<Handover.Arrived>> answer) {
        if (Handover.hasArrived(container, segment)) {
            Handover.arrived(
                    container,
                    Durable.of(() -> answer.complete(Optional.of(Handover.arrival(container, segment))), answer::fail));
        } else {
            answer.complete(Optional.empty());
        }
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeUnsigned(out, segment);
    }

    static Arrival read(ByteBuf in) {
        return new Arrival(Packed.readUnsigned(in));
    }

    @Override
    public void writeResult(Optional<Handover.Arrived> result, ByteBuf out) {
        out.writeBoolean(result.isPresent());
        result.ifPresent(arrived -> write(arrived, out));
    }

    @Override
    public Optional<Handover.Arrived> readResult(ByteBuf in) {
        return in.readBoolean() ? Optional.of(readArrived(in)) : Optional.empty();
    }

    static void write(Handover.Arrived arrived, ByteBuf out) {
        Packed.writeSigned(out, arrived.aboveTerm());
        Packed.writeUnsigned(out, arrived.earlier().size());
        for (SegmentPlace place : arrived.earlier()) {
            Packed.writeUnsigned(out, place.container());
            Packed.writeUnsigned(out, place.segment());
        }
    }

    static Handover.Arrived readArrived(ByteBuf in) {
        int aboveTerm = (int) Packed.readSigned(in);
        List<SegmentPlace> earlier = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            earlier.add(new SegmentPlace(Packed.readCount(in), Packed.readUnsigned(in)));
        }
        return new Handover.Arrived(earlier, aboveTerm);
    }
}
