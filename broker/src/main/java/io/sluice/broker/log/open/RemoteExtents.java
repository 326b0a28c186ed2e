package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.state.Extent;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * The way from a partition to those of its segments that lie in other containers. Asked on the loop of the partition's own
 * container, {@code home}, and answered there; if that has stopped meanwhile, on the thread that has the answer.
 */
final class RemoteExtents {
    private volatile @Nullable Containers all;

    /** Before any container serves. */
    void setContainers(Containers containers) {
        all = containers;
    }

    private @Nullable SegmentContainer find(int id) {
        Containers known = all;
        return known == null ? null : known.serving(id);
    }

    private static StoreFailure notServed(int container) {
        return new StoreFailure.NotOwner(container, "container " + container + " is not served now");
    }

    /** As {@link SegmentContainer#read}. */
    void read(SegmentContainer home, Extent extent, long position, int maxBytes, ReadReply reply) {
        SegmentContainer other = find(extent.container());
        if (other == null) {
            reply.failed(notServed(extent.container()));
            return;
        }
        HomeReply atHome = new HomeReply(home, reply);
        other.execute(LoopTask.of(() -> other.read(extent.segment(), position, maxBytes, atHome), atHome::failed));
    }

    private record HomeReply(SegmentContainer home, ReadReply reply) implements ReadReply {
        @Override
        public void data(long position, ByteBuf data) {
            home.execute(LoopTask.of(() -> reply.data(position, data), why -> {
                data.release();
                reply.failed(why);
            }));
        }

        @Override
        public void failed(StoreFailure why) {
            home.execute(LoopTask.of(() -> reply.failed(why), reply::failed));
        }
    }

    /** Lets the bytes of the segment below {@code position} go; should that not come to pass, a later cut does it. */
    void truncate(Extent extent, long position) {
        SegmentContainer other = find(extent.container());
        if (other != null) {
            other.execute(LoopTask.of(() -> {
                if (other.info(extent.segment()) != null) {
                    other.truncate(extent.segment(), position, Durable.IGNORED);
                }
            }));
        }
    }

    /** Whether the container was removed from the store, and all that was in it with it. */
    private boolean isRemoved(int id) {
        Containers known = all;
        return known != null && !known.all().contains(id);
    }

    /** Deletes the segment; {@code gone} runs at home once that is durable, or never. */
    void delete(SegmentContainer home, SegmentPlace place, Runnable gone) {
        SegmentContainer other = find(place.container());
        if (other == null && isRemoved(place.container())) {
            home.execute(LoopTask.of(gone));
        }
        if (other != null) {
            other.execute(LoopTask.of(() -> {
                Durable done = Durable.of(() -> home.execute(LoopTask.of(gone)));
                if (other.info(place.segment()) == null) {
                    other.barrier(done);
                } else {
                    other.delete(place.segment(), done);
                }
            }));
        }
    }
}
