package io.sluice.store.sim;

import io.sluice.store.segment.SegmentInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the clients of one owner know. */
public final class SimModel {
    final TreeMap<Long, SimSegment> segments = new TreeMap<>();

    SimSegment add(long id) {
        SimSegment segment = new SimSegment(id);
        segments.put(id, segment);
        return segment;
    }

    @Nullable
    SimSegment get(long id) {
        return segments.get(id);
    }

    /** Segments that may be used. */
    List<SimSegment> live() {
        List<SimSegment> live = new ArrayList<>();
        for (SimSegment segment : segments.values()) {
            if (!segment.deleted) {
                live.add(segment);
            }
        }
        return live;
    }

    /** What {@code owner} has of this after its recovery. */
    SimModel recoveredBy(SimOwner owner) {
        SimModel left = new SimModel();
        for (SimSegment known : segments.values()) {
            SegmentInfo info = owner.container().segments().info(known.id);
            if (info != null && owner.container().segments().rider(known.id) instanceof SimRider rider) {
                int notes = Math.min(rider.notes, known.notes.size());
                SimSegment segment = known.recovered(info.length(), notes, info.start(), info.sealed());
                left.segments.put(known.id, segment);
            }
        }
        return left;
    }
}
