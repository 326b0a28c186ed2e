package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.index.OffsetIndex.Point;
import org.jspecify.annotations.Nullable;

/** Which offsets there are, at which positions, and where those bytes lie. */
public final class Offsets implements StatePart {
    static final byte TAG = 1;

    private long next;
    private long endPosition;
    private long start;
    private long startPosition;

    /** All entries from {@link #uniformFrom} to the end have the format {@link #lastFormat}. */
    private long uniformFrom;

    private byte lastFormat;
    private final int container;
    private OffsetIndex index = new OffsetIndex();
    private Extents extents;
    private boolean leaving;
    private int layout;

    /** Offsets of a new partition in this segment of this container. */
    Offsets(int container, long segment) {
        this.container = container;
        extents = Extents.startingIn(container, segment);
    }

    /** One past the last offset. */
    long next() {
        return next;
    }

    public long endPosition() {
        return endPosition;
    }

    long start() {
        return start;
    }

    public long startPosition() {
        return startPosition;
    }

    public OffsetIndex index() {
        return index;
    }

    public Extents extents() {
        return extents;
    }

    public byte lastFormat() {
        return lastFormat;
    }

    /** Whether everything from {@code offset} to the end has one format, or formats of one family. */
    public boolean isUniformFrom(long offset) {
        return offset >= uniformFrom;
    }

    /** Stored bytes between {@code offset} and a position, by the index. */
    public long bytesBetween(long offset, long position) {
        int point = index.floorOffset(Math.max(offset, start));
        return extents.bytesBetween(point < 0 ? startPosition : index.position(point), position);
    }

    /** Where the log may be cut so that {@code offset} stays: the beginning of an entry, or the end. */
    Point cutFor(long offset) {
        return offset >= next ? new Point(next, endPosition) : index.atOrBelow(offset);
    }

    /** Rises when positions below the newest ones come to mean other bytes; not stored. */
    public int layout() {
        return layout;
    }

    /** From here on the snapshot is for another container. */
    public void leave() {
        leaving = true;
    }

    /** Directs further appends to {@code segment} of this container. */
    public void relocate(long segment) {
        extents.relocate(container, segment, endPosition);
    }

    @Override
    public byte tag() {
        return TAG;
    }

    /** As low as can be, so that an earlier server reads a partition that has never moved. */
    @Override
    public byte version() {
        if (!extents.leftovers().isEmpty()) {
            return Extents.WITH_LEFTOVERS;
        }
        return leaving || !extents.areInOneContainer() ? Extents.IN_MANY : Extents.IN_ONE_CONTAINER;
    }

    @Override
    public boolean isEmpty() {
        return endPosition == 0 && extents.areOneSegment() && !leaving;
    }

    @Override
    public byte newestVersion() {
        return Extents.WITH_LEFTOVERS;
    }

    /** Offsets before the entry's may be missing, not be there already. */
    @Override
    public @Nullable Outcome append(ByteBuf entry, int at, long position) {
        long base = EntryHeader.baseOffset(entry, at);
        if (base < next || position != endPosition || EntryHeader.size(entry, at) != entry.readableBytes()) {
            throw new IllegalStateException("entry with offset " + base + " at position " + position
                    + " does not continue offset " + next + " at position " + endPosition);
        }
        byte format = EntryFormat.family(EntryHeader.format(entry, at));
        if (format != lastFormat) {
            lastFormat = format;
            uniformFrom = next;
        }
        index.add(base, position, EntryHeader.maxTimestamp(entry, at));
        next = EntryHeader.lastOffset(entry, at) + 1;
        endPosition = position + entry.readableBytes();
        return null;
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.SegmentGone gone) {
            extents.gone(gone.segment());
        }
        if (note instanceof PartitionNote.Compacted compacted) {
            compacted(compacted);
        }
        if (note instanceof PartitionNote.Start moved) {
            moveStart(moved);
        }
    }

    /** The start may be told again, where a companion has brought back bytes below it. */
    private void moveStart(PartitionNote.Start moved) {
        if (moved.offset() < start || moved.offset() == start && moved.position() <= startPosition) {
            return;
        }
        start = moved.offset();
        startPosition = Math.max(startPosition, moved.position());
        if (moved.position() == endPosition) {
            index.clear();
        } else {
            index.dropBefore(moved.baseOffset(), moved.position());
        }
        extents.dropBefore(startPosition);
    }

    private void compacted(PartitionNote.Compacted by) {
        layout++;
        startPosition = by.from();
        if (by.position() == endPosition) {
            index.clear(); // there is no entry to cut at
        }
        index.replaceBefore(by.offset(), by.position(), by.index(), by.from());
        extents.replaceBefore(by.position(), by.container(), by.segment(), by.length());
    }

    @Override
    public void snapshot(ByteBuf out) {
        writeEnds(out);
        Packed.writeUnsigned(out, uniformFrom);
        out.writeByte(lastFormat);
        extents.write(version(), out);
        index.snapshot(out);
    }

    private void writeEnds(ByteBuf out) {
        Packed.writeUnsigned(out, next);
        Packed.writeUnsigned(out, endPosition);
        Packed.writeUnsigned(out, start);
        Packed.writeUnsigned(out, startPosition);
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        restoreEnds(in);
        restoreFormat(in);
        extents = Extents.read(version, container, in);
        restoreIndex(in);
    }

    void restoreEnds(ByteBuf in) {
        next = Packed.readUnsigned(in);
        endPosition = Packed.readUnsigned(in);
        start = Packed.readUnsigned(in);
        startPosition = Packed.readUnsigned(in);
    }

    void restoreFormat(ByteBuf in) {
        uniformFrom = Packed.readUnsigned(in);
        lastFormat = in.readByte();
    }

    void restoreIndex(ByteBuf in) {
        index = OffsetIndex.restore(in);
    }
}
