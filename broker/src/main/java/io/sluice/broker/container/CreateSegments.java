package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.List;

/** Makes segments, but for those that are there; done when that is durable. */
public record CreateSegments(List<NewSegment> segments) implements ContainerStep<Boolean> {
    static final byte CODE = 1;

    public CreateSegments {
        segments = List.copyOf(segments);
    }

    /**
     * A segment that is to be there.
     *
     * @param attributes see {@link SegmentContainer#create}
     */
    public record NewSegment(long segment, byte kind, byte[] attributes) {
        /** Makes it unless it is there; on the container's loop. */
        public void create(SegmentContainer container) {
            if (container.info(segment) == null) {
                container.create(segment, kind, Unpooled.wrappedBuffer(attributes), Durable.IGNORED);
            }
        }

        public void write(ByteBuf out) {
            Packed.writeUnsigned(out, segment);
            out.writeByte(kind);
            Packed.writeUnsigned(out, attributes.length);
            out.writeBytes(attributes);
        }

        public static NewSegment read(ByteBuf in) {
            long segment = Packed.readUnsigned(in);
            byte kind = in.readByte();
            byte[] attributes = new byte[Math.min(Packed.readCount(in), in.readableBytes())];
            in.readBytes(attributes);
            return new NewSegment(segment, kind, attributes);
        }
    }

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public void begin(SegmentContainer container, Answer<Boolean> answer) {
        segments.forEach(each -> each.create(container));
        container.barrier(answer.onceDurable(true));
    }

    @Override
    public void write(ByteBuf out) {
        writeAll(segments, out);
    }

    static CreateSegments read(ByteBuf in) {
        return new CreateSegments(readAll(in));
    }

    public static void writeAll(List<NewSegment> segments, ByteBuf out) {
        Packed.writeUnsigned(out, segments.size());
        segments.forEach(each -> each.write(out));
    }

    public static List<NewSegment> readAll(ByteBuf in) {
        List<NewSegment> segments = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            segments.add(NewSegment.read(in));
        }
        return segments;
    }

    @Override
    public void writeResult(Boolean result, ByteBuf out) {}

    @Override
    public Boolean readResult(ByteBuf in) {
        return true;
    }
}
