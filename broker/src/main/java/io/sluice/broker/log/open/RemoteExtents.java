package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.DeleteSegments;
import io.sluice.broker.container.RemoteReads;
import io.sluice.broker.container.StoredLength;
import io.sluice.broker.container.TruncateSegment;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.state.Extent;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The way from a partition to those of its segments that lie in other containers. Asked on the loop of the partition's own
 * container, {@code home}, and answered there; if that has stopped meanwhile, on the thread that has the answer.
 */
final class RemoteExtents {
    private volatile @Nullable Elsewhere elsewhere;

    /**
     * Other containers than a partition's own.
     *
     * @param here containers that are served here
     * @param operations in all containers
     * @param reads of those that are not served here
     */
    private record Elsewhere(Containers here, ContainerOperations operations, RemoteReads reads) {}

    /** Before any container serves. */
    void setContainers(Containers here, ContainerOperations operations) {
        elsewhere = new Elsewhere(here, operations, new RemoteReads(operations));
    }

    /** As {@link SegmentContainer#read}. */
    void read(SegmentContainer home, Extent extent, long position, int maxBytes, ReadReply reply) {
        Elsewhere known = elsewhere;
        if (known == null) {
            reply.failed(new StoreFailure.NotOwner(extent.container(), "no other containers are known"));
            return;
        }
        HomeReply atHome = new HomeReply(home, reply);
        SegmentContainer other = known.here().serving(extent.container());
        if (other == null) {
            known.reads().read(extent.container(), extent.segment(), position, maxBytes, atHome);
        } else {
            other.execute(LoopTask.of(() -> other.read(extent.segment(), position, maxBytes, atHome), atHome::failed));
        }
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

    /** Answers at home up to which position of its segment the extent is in long-term storage. */
    void findStored(SegmentContainer home, Extent extent, CompletableFuture<Long> answer) {
        Elsewhere known = elsewhere;
        if (known == null) {
            answer.completeExceptionally(
                    new StoreException(new StoreFailure.NotOwner(extent.container(), "no other containers are known")));
            return;
        }
        var unused = known.operations()
                .ask(extent.container(), new StoredLength(extent.segment()))
                .whenComplete((length, failure) -> home.execute(LoopTask.of(
                        () -> {
                            if (failure == null) {
                                answer.complete(length);
                            } else {
                                answer.completeExceptionally(failure);
                            }
                        },
                        why -> answer.completeExceptionally(new StoreException(why)))));
    }

    /** Lets the bytes of the segment below {@code position} go; should that not come to pass, a later cut does it. */
    void truncate(Extent extent, long position) {
        Elsewhere known = elsewhere;
        if (known != null) {
            var unused = known.operations().ask(extent.container(), new TruncateSegment(extent.segment(), position));
        }
    }

    /** Deletes the segment; {@code gone} runs at home once that is durable, or never. */
    void delete(SegmentContainer home, SegmentPlace place, Runnable gone) {
        Elsewhere known = elsewhere;
        if (known == null) {
            return;
        }
        if (known.here().serving(place.container()) == null
                && !known.operations().all().contains(place.container())) {
            home.execute(LoopTask.of(gone)); // it was removed from the store, and all that was in it with it
            return;
        }
        var unused = known.operations()
                .ask(place.container(), new DeleteSegments(List.of(place.segment())))
                .thenRun(() -> home.execute(LoopTask.of(gone)));
    }
}
