package io.sluice.store.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Moves the segments' durable lengths on as the log acknowledges, and tells the tier and the riders once per turn. Loop only. */
final class DurableEnds implements FramePipeline.Retirement {
    private final Segments segments;
    private final ContainerTier tier;
    private final List<OpenSegment> grown = new ArrayList<>();
    private long sequence;

    DurableEnds(Segments segments, ContainerTier tier) {
        this.segments = segments;
        this.tier = tier;
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
    }

    /** Operations up to this one are durable. */
    long sequence() {
        return sequence;
    }

    /** All that was recovered is durable once the term's first checkpoint is. */
    void recovered() {
        sequence = segments.state().sequence();
    }

    /** The recovered segments are served: {@link #recovered} up to their ends. */
    void serveAll() {
        for (long segment : segments.state().segments()) {
            OpenSegment each = Objects.requireNonNull(segments.get(segment));
            each.durableLength = each.state.length();
            tell(each);
        }
    }

    /** Only what the cache holds can be stored. */
    void storeCached() {
        for (OpenSegment each : segments.all()) {
            each.durableLength = each.cachedTo;
            tier.changed(each, true, false);
        }
    }

    private void tell(OpenSegment segment) {
        tier.changed(segment, true, false);
        segment.rider.durable(segment.durableLength);
    }
}
