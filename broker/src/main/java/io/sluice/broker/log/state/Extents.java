package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.SegmentPlace;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a partition's bytes lie: runs of them, one behind the other, the last one open. Positions of the partition rise over
 * all of them; between two there may be a gap, where bytes were compacted away. No entry lies in two extents.
 *
 * <pre>
 *   position  0 ────────► 5,000    7,000 ──────────► 9,000 ────────────► open
 *   segment   12 from 0 on         31 from 0 on      40 from 0 on: appended to
 *   container 2                    2                 5: where the partition is now
 * </pre>
 */
public final class Extents {
    /** All extents lie in the container that has them written. */
    static final byte IN_ONE_CONTAINER = 1;
    /** Each extent names its container. */
    static final byte IN_MANY = 2;
    /** As {@link #IN_MANY}; behind it the segments that are to be deleted. */
    static final byte WITH_LEFTOVERS = 3;

    private final long partitionId;
    private final List<Extent> all = new ArrayList<>(1);
    /** Segments in other containers whose bytes were replaced, until they are gone there. */
    private final List<SegmentPlace> leftovers = new ArrayList<>(0);

    private Extents(long partitionId) {
        this.partitionId = partitionId;
    }

    /** Extents of a new partition, whose id is that of its first segment. */
    static Extents startingIn(int container, long segment) {
        Extents extents = new Extents(segment);
        extents.all.add(new Extent(container, 0, Extent.OPEN, segment, 0));
        return extents;
    }

    public long partitionId() {
        return partitionId;
    }

    /** The one that is appended to. */
    public Extent active() {
        return all.getLast();
    }

    /** The one with the byte at {@code position}, or behind a gap the next one. */
    public Extent at(long position) {
        for (int i = 0; i < all.size(); i++) {
            Extent extent = all.get(i);
            if (position < extent.end()) {
                return extent;
            }
        }
        throw new IllegalStateException("position " + position + " is beyond the last extent");
    }

    /** Bytes between two positions, gaps aside. */
    public long bytesBetween(long from, long to) {
        long bytes = 0;
        for (int i = 0; i < all.size(); i++) {
            Extent extent = all.get(i);
            bytes += Math.max(0, Math.min(to, extent.end()) - Math.max(from, extent.position()));
        }
        return bytes;
    }

    /** The highest position from which on there are {@code bytes} bytes or more before {@code end}; -1 if there are fewer. */
    public long positionBefore(long end, long bytes) {
        long left = bytes;
        for (int i = all.size() - 1; i >= 0; i--) {
            Extent extent = all.get(i);
            long there = Math.max(0, Math.min(end, extent.end()) - extent.position());
            if (left <= there) {
                return Math.min(end, extent.end()) - left;
            }
            left -= there;
        }
        return -1;
    }

    /** Begins an extent: appends from {@code position} on lie at the start of {@code segment}. */
    void relocate(int container, long segment, long position) {
        Extent last = all.removeLast();
        all.add(new Extent(last.container(), last.position(), position, last.segment(), last.segmentPosition()));
        all.add(new Extent(container, position, Extent.OPEN, segment, 0));
    }

    /** Bytes below {@code position} are gone. What lies in other containers stays listed until it is {@link #gone} there. */
    void dropBefore(long position) {
        int here = active().container();
        all.removeIf(extent -> extent.end() <= position && extent.container() == here);
    }

    /** Replaces the extents below {@code position} by all {@code length} bytes of {@code segment}. */
    void replaceBefore(long position, int container, long segment, long length) {
        int here = active().container();
        for (Extent extent : List.copyOf(all)) {
            if (extent.position() < position) {
                all.removeFirst();
            }
            if (extent.end() <= position && extent.container() != here) {
                leftovers.add(new SegmentPlace(extent.container(), extent.segment()));
            } else if (extent.position() < position && extent.end() > position) {
                long from = extent.inSegment(position);
                all.addFirst(new Extent(extent.container(), position, extent.end(), extent.segment(), from));
            }
        }
        if (length > 0) {
            all.addFirst(new Extent(container, position - length, position, segment, 0));
        }
    }

    /** See {@link #replaceBefore}; a view. */
    public List<SegmentPlace> leftovers() {
        return leftovers;
    }

    public boolean has(long segment) {
        return all.stream().anyMatch(extent -> extent.segment() == segment);
    }

    /** The segment is deleted; the active one never is. */
    void gone(long segment) {
        leftovers.removeIf(place -> place.segment() == segment);
        all.removeIf(extent -> extent.segment() == segment && extent.end() != Extent.OPEN);
    }

    /** Extents of which nothing is left when bytes below {@code position} go. */
    public List<Extent> endingBefore(long position) {
        return all.stream().filter(extent -> extent.end() <= position).toList();
    }

    /** In the order of their positions. */
    public List<Extent> all() {
        return all;
    }

    public boolean areInOneContainer() {
        return leftovers.isEmpty() && all.stream().allMatch(extent -> extent.container() == active().container());
    }

    boolean areOneSegment() {
        return all.size() == 1 && active().segment() == partitionId && active().inSegment(0) == 0;
    }

    /**
     * {@code partitionId, n}, then for each {@code position, segment, segmentPosition} and, but for the last, {@code length};
     * before each its {@code container}, if they are {@link #IN_MANY}; behind them what is to be deleted, if it is
     * {@link #WITH_LEFTOVERS}.
     */
    void write(byte version, ByteBuf out) {
        Packed.writeUnsigned(out, partitionId);
        Packed.writeUnsigned(out, all.size());
        for (Extent extent : all) {
            if (version >= IN_MANY) {
                Packed.writeUnsigned(out, extent.container());
            }
            Packed.writeUnsigned(out, extent.position());
            Packed.writeUnsigned(out, extent.segment());
            Packed.writeUnsigned(out, extent.segmentPosition());
            if (extent != active()) {
                Packed.writeUnsigned(out, extent.end() - extent.position());
            }
        }
        if (version == WITH_LEFTOVERS) {
            Packed.writeUnsigned(out, leftovers.size());
            for (SegmentPlace place : leftovers) {
                Packed.writeUnsigned(out, place.container());
                Packed.writeUnsigned(out, place.segment());
            }
        }
    }

    /** @param here the container of extents that do not name theirs */
    static Extents read(byte version, int here, ByteBuf in) {
        Extents extents = new Extents(Packed.readUnsigned(in));
        for (int n = Packed.readCount(in); n > 0; n--) {
            int container = version >= IN_MANY ? Packed.readCount(in) : here;
            long position = Packed.readUnsigned(in);
            long segment = Packed.readUnsigned(in);
            long segmentPosition = Packed.readUnsigned(in);
            long end = n == 1 ? Extent.OPEN : position + Packed.readUnsigned(in);
            extents.all.add(new Extent(container, position, end, segment, segmentPosition));
        }
        for (int n = version == WITH_LEFTOVERS ? Packed.readCount(in) : 0; n > 0; n--) {
            extents.leftovers.add(new SegmentPlace(Packed.readCount(in), Packed.readUnsigned(in)));
        }
        return extents;
    }
}
