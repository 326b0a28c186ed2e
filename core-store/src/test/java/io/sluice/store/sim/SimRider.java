package io.sluice.store.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.container.ModelRider;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** A {@link ModelRider} that also counts its notes. */
final class SimRider implements SegmentRider {
    final ModelRider inner;
    int notes;
    private final boolean forgetsNotes;

    private SimRider(ModelRider inner, boolean forgetsNotes) {
        this.inner = inner;
        this.forgetsNotes = forgetsNotes;
    }

    static SimRider create(
            SegmentContainer container, SegmentInfo info, ByteBuf attributes, @Nullable ByteBuf snapshot, Bug bug) {
        int notes = snapshot == null ? 0 : snapshot.readInt();
        SimRider rider =
                new SimRider(ModelRider.create(container, info, attributes, snapshot), bug == Bug.RIDER_FORGETS_NOTES);
        rider.notes = notes;
        return rider;
    }

    static ByteBuf note(long id) {
        return Unpooled.buffer().writeLong(id);
    }

    @Override
    public void applyAppend(long position, ByteBuf data) {
        inner.applyAppend(position, data);
    }

    @Override
    public void applyNote(ByteBuf note) {
        notes++;
        inner.applyNote(note);
    }

    @Override
    public void durable(long durableLength) {
        inner.durable(durableLength);
    }

    @Override
    public void snapshot(ByteBuf out) {
        out.writeInt(notes);
        long kept = inner.notes;
        inner.notes = forgetsNotes ? 0 : kept;
        inner.snapshot(out);
        inner.notes = kept;
    }

    @Override
    public void closed(StoreFailure why) {
        inner.closed(why);
    }
}
