package io.sluice.store.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Moves the segments' durable lengths on as the log acknowledges, and tells the riders once per turn, and the tier: at the same time, or
 * when what was acknowledged is synced. Loop only.
 */
final class DurableEnds implements FramePipeline.Retirement {
    private final Segments segments;
    private final ContainerTier tier;
    private final boolean deferred;
    private final AcknowledgedEnds ends;
    private final List<OpenSegment> grown = new ArrayList<>();
    /** Have grown since the last force began; those of that force, and how long they were. */
    private List<OpenSegment> unsynced = new ArrayList<>();

    private List<OpenSegment> forcing = new ArrayList<>();
    private long[] forcingLengths = new long[16];
    private long forcingSequence;
    private long sequence;
    private long syncedSequence;

    /**
     * @param deferred what is acknowledged is not synced yet
     * @param ends where that is noted
     */
    DurableEnds(Segments segments, ContainerTier tier, boolean deferred, AcknowledgedEnds ends) {
        this.ends = ends;
        this.segments = segments;
        this.tier = tier;
        this.deferred = deferred;
    }

    @Override
    public void durable(OpenSegment segment, long length) {
        segment.durableLength = length;
        if (!segment.grown) {
            segment.grown = true;
            grown.add(segment);
        }
    }

    @Override
    public void durable(long upTo) {
        sequence = upTo;
        for (OpenSegment segment : grown) {
            segment.grown = false;
            if (segments.get(segment.state.segment()) == segment) {
                tell(segment);
            }
        }
        grown.clear();
        if (!deferred) {
            syncedSequence = upTo;
        }
    }

    /** A force of all that was acknowledged begins. */
    void forcing() {
        List<OpenSegment> begun = unsynced;
        unsynced = forcing;
        forcing = begun;
        if (forcingLengths.length < begun.size()) {
            forcingLengths = new long[2 * begun.size()];
        }
        for (int i = 0; i < begun.size(); i++) {
            begun.get(i).unsynced = false;
            forcingLengths[i] = begun.get(i).durableLength;
        }
        forcingSequence = sequence;
    }

    /** A force has ended: everything acknowledged when it began is synced. */
    void forced() {
        syncedSequence = forcingSequence;
        for (int i = 0; i < forcing.size(); i++) {
            OpenSegment segment = forcing.get(i);
            if (segments.get(segment.state.segment()) == segment) {
                synced(segment, forcingLengths[i]);
            }
        }
        forcing.clear();
    }

    /** Operations up to this one are on the disks. */
    long syncedSequence() {
        return syncedSequence;
    }

    /** All that was recovered is durable once the term's first checkpoint is. */
    void recovered() {
        sequence = segments.state().sequence();
        syncedSequence = sequence;
    }

    /** The recovered segments are served: {@link #recovered} up to their ends. */
    void serveAll() {
        for (long segment : segments.state().segments()) {
            OpenSegment each = Objects.requireNonNull(segments.get(segment));
            each.durableLength = each.state.length();
            synced(each, each.durableLength);
            each.rider.durable(each.durableLength);
        }
    }

    /** Only what the cache holds can be stored. */
    void storeCached() {
        for (OpenSegment each : segments.all()) {
            each.durableLength = each.cachedTo;
            synced(each, each.cachedTo);
        }
    }

    private void tell(OpenSegment segment) {
        if (!deferred) {
            synced(segment, segment.durableLength);
        } else {
            // before anybody is told of it
            segment.endsPlace = ends.acknowledged(segment.endsPlace, segment.state.segment(), segment.durableLength);
            if (!segment.unsynced) {
                segment.unsynced = true;
                unsynced.add(segment);
            }
        }
        segment.rider.durable(segment.durableLength);
    }

    private void synced(OpenSegment segment, long length) {
        segment.syncedLength = length;
        tier.changed(segment, true, false);
    }
}
