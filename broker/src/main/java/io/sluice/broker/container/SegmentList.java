package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.util.ArrayList;
import java.util.List;

/** Ids of segments as bytes. */
public final class SegmentList {
    private SegmentList() {}

    public static void write(List<Long> segments, ByteBuf out) {
        Packed.writeUnsigned(out, segments.size());
        segments.forEach(segment -> Packed.writeUnsigned(out, segment));
    }

    public static List<Long> read(ByteBuf in) {
        List<Long> segments = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            segments.add(Packed.readUnsigned(in));
        }
        return segments;
    }
}
