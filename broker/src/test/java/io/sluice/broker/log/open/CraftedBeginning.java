package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.open.PartitionSimModel.Written;
import io.sluice.broker.log.state.PartitionSnapshot;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.broker.log.state.StatePart;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import java.util.List;
import java.util.Random;

/** The beginning of a partition that lies in two other segments, has holes within and between entries, and a gap between its extents. */
final class CraftedBeginning {
    static final long FIRST = 41;
    static final long SECOND = 42;
    static final long ACTIVE = 43;
    /** Bytes of something else before the second extent. */
    private static final int BEFORE_SECOND = 100;

    private static final int GAP = 500;

    private final Random random;
    private final PartitionSimBug bug;
    private final SegmentContainer container;
    private final PartitionSimModel model;

    CraftedBeginning(Random random, PartitionSimBug bug, SegmentContainer container, PartitionSimModel model) {
        this.random = random;
        this.bug = bug;
        this.container = container;
        this.model = model;
    }

    /** Fills the two older segments, and gives the snapshot of a partition that goes on in the active one. */
    ByteBuf craft() {
        ByteBuf none = Unpooled.EMPTY_BUFFER;
        container.create(FIRST, (byte) 2, none, Durable.IGNORED);
        container.create(SECOND, (byte) 2, none, Durable.IGNORED);
        container.append(SECOND, Unpooled.wrappedBuffer(new byte[BEFORE_SECOND]), Durable.IGNORED);
        OffsetIndex index = new OffsetIndex();
        long firstEnd = fill(FIRST, 0, 0, index);
        long second = firstEnd + GAP;
        long secondEnd = fill(SECOND, second, model.last().last + 1, index);
        StatePart offsets = new PartitionState(ProducerLimits.DEFAULT, 0, ACTIVE).offsets();
        offsets.restore((byte) 1, offsets(firstEnd, second, secondEnd, index));
        ByteBuf crafted = Unpooled.buffer();
        PartitionSnapshot.write(List.of(offsets), crafted);
        return crafted;
    }

    private ByteBuf offsets(long firstEnd, long second, long secondEnd, OffsetIndex index) {
        ByteBuf out = Unpooled.buffer();
        Packed.writeUnsigned(out, model.last().last + 1);
        Packed.writeUnsigned(out, secondEnd);
        Packed.writeUnsigned(out, 0);
        Packed.writeUnsigned(out, 0);
        Packed.writeUnsigned(out, 0);
        out.writeByte(2);
        Packed.writeUnsigned(out, FIRST);
        Packed.writeUnsigned(out, 3);
        extent(out, 0, FIRST, 0);
        Packed.writeUnsigned(out, bug == PartitionSimBug.EXTENT_ENDS_TOO_LATE ? firstEnd + 1 : firstEnd);
        extent(out, second, SECOND, BEFORE_SECOND);
        Packed.writeUnsigned(out, secondEnd - second);
        extent(out, secondEnd, ACTIVE, 0);
        index.snapshot(out);
        return out;
    }

    private static void extent(ByteBuf out, long position, long segment, long segmentPosition) {
        Packed.writeUnsigned(out, position);
        Packed.writeUnsigned(out, segment);
        Packed.writeUnsigned(out, segmentPosition);
    }

    /** Appends entries with holes; gives the position after the last one. */
    private long fill(long segment, long position, long firstOffset, OffsetIndex index) {
        long at = position;
        long offset = firstOffset;
        boolean off = false;
        for (int i = 0; i < 40; i++) {
            boolean hole = random.nextInt(4) == 0;
            offset += hole ? 1 + random.nextInt(9) : 0;
            int count = 1 + random.nextInt(3);
            int span = count + (random.nextInt(3) == 0 ? random.nextInt(6) : 0);
            // large, so that the snapshot's index has a point for many of them
            ByteBuf entry = TestEntries.plain(count, 30_000 + random.nextInt(50_000), model.size());
            EntryHeader.assign(entry, 0, offset, 1);
            entry.setInt(23, span - 1);
            Written written = new Written(offset, offset + span - 1, ByteBufUtil.getBytes(entry), -1);
            written.durable = true;
            model.written.add(written);
            boolean misplaced = hole && !off && i > 2 && i < 39 && bug == PartitionSimBug.INDEX_IS_OFF_BY_ONE_AT_A_HOLE;
            off |= misplaced;
            index.add(offset, misplaced ? at + entry.readableBytes() : at, model.size());
            at += entry.readableBytes();
            offset += span;
            container.append(segment, entry, Durable.IGNORED);
            entry.release();
        }
        return at;
    }
}
