package io.sluice.broker.log.open;

import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.state.Extent;
import io.sluice.broker.log.state.PartitionEnds;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Looks up to where a partition is in long-term storage: at one extent after the other, until one is not there as a whole. Loop only. */
final class StoredEnd {
    private final SegmentContainer home;
    private final RemoteExtents remote;
    private final PartitionState state;
    private final PartitionEnds ends;
    private final Answer<Long> answer;
    private final List<Extent> extents;
    private int at;

    StoredEnd(
            SegmentContainer home,
            RemoteExtents remote,
            PartitionState state,
            PartitionEnds ends,
            Answer<Long> answer) {
        this.home = home;
        this.remote = remote;
        this.state = state;
        this.ends = ends;
        this.answer = answer;
        this.extents = List.copyOf(state.offsets().extents().all());
    }

    void find() {
        while (at < extents.size()) {
            Extent extent = extents.get(at);
            if (endOf(extent) <= Math.max(extent.position(), state.offsets().startPosition())) {
                at++; // nothing of it is left, or was ever there
                continue;
            }
            if (extent.container() != home.id()) {
                askElsewhere(extent);
                return;
            }
            SegmentInfo info = home.info(extent.segment());
            if (!passes(extent, info == null ? 0 : info.tieredLength())) {
                return;
            }
        }
        answer.complete(ends.durable());
    }

    private void askElsewhere(Extent extent) {
        CompletableFuture<Long> there = new CompletableFuture<>();
        remote.findStored(home, extent, there);
        var unused = there.whenComplete((length, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else if (passes(extent, length)) {
                find();
            }
        });
    }

    private long endOf(Extent extent) {
        return Math.min(extent.end(), ends.durablePosition());
    }

    /** Goes on behind the extent if it is stored as a whole; else the answer is given, and this is false. */
    private boolean passes(Extent extent, long stored) {
        if (stored >= extent.inSegment(endOf(extent))) {
            at++;
            return true;
        }
        OffsetIndex index = state.index();
        int point = index.floorPosition(Math.max(extent.position(), extent.inPartition(stored)));
        answer.complete(point < 0 ? state.startOffset() : Math.max(state.startOffset(), index.offset(point)));
        return false;
    }
}
