package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.CompactedView;
import io.sluice.broker.log.SegmentPlace;
import java.util.ArrayList;
import java.util.List;

/** The partition's state of its {@link CompactedView}; positions are those in the companion segment. */
public final class ViewPart implements StatePart {
    static final byte TAG = 10;

    private final int here;
    private PartitionNote.View now;
    private Extent extent;
    /** Segments in other containers that held earlier views, until they are gone there. */
    private final List<SegmentPlace> leftovers = new ArrayList<>(0);

    private int layout;

    /** @param here container of the partition */
    ViewPart(int here) {
        this.here = here;
        now = PartitionNote.View.none(here);
        extent = extentOf(now);
    }

    private static Extent extentOf(PartitionNote.View view) {
        return new Extent(view.container(), 0, view.length(), view.segment(), 0);
    }

    public PartitionNote.View now() {
        return now;
    }

    /** Where the companion of this view lies, and those of earlier ones that are to be deleted. */
    public List<SegmentPlace> places() {
        List<SegmentPlace> all = new ArrayList<>(leftovers);
        if (now.length() > 0) {
            all.add(place());
        }
        return all;
    }

    private SegmentPlace place() {
        return new SegmentPlace(now.container(), now.segment());
    }

    public List<SegmentPlace> leftovers() {
        return leftovers;
    }

    /** All bytes of the view. */
    public Extent extent() {
        return extent;
    }

    /** Rises with each view; not stored. */
    public int layout() {
        return layout;
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return now.horizon() == 0 && leftovers.isEmpty();
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.SegmentGone gone) {
            leftovers.removeIf(place -> place.segment() == gone.segment());
        }
        if (note instanceof PartitionNote.View next) {
            if (now.length() > 0 && now.container() != here) {
                leftovers.add(place());
            }
            layout++;
            now = next;
            extent = extentOf(next);
        }
    }

    /** The view, as its note has it, then {@code n} and for each leftover {@code container, segment}. */
    @Override
    public void snapshot(ByteBuf out) {
        now.writeBody(out);
        Packed.writeUnsigned(out, leftovers.size());
        for (SegmentPlace place : leftovers) {
            Packed.writeUnsigned(out, place.container());
            Packed.writeUnsigned(out, place.segment());
        }
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        now = PartitionNote.View.read(in);
        extent = extentOf(now);
        for (int n = Packed.readCount(in); n > 0; n--) {
            leftovers.add(new SegmentPlace(Packed.readCount(in), Packed.readUnsigned(in)));
        }
    }
}
