package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.segment.InMemoryLog.Bytes;
import io.sluice.store.segment.InMemoryLog.Checkpoint;
import io.sluice.store.segment.InMemoryLog.Op;
import io.sluice.store.segment.InMemoryLog.Snapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Segments of one term of an {@link InMemoryContainer} and their riders, as far as operations are sequenced. */
final class InMemorySegments {
    private final InMemoryContainer container;
    private final SegmentRiderFactory riderFactory;
    private final Map<Long, InMemorySegment> segments = new LinkedHashMap<>();
    private final Map<Long, SegmentRider> riders = new LinkedHashMap<>();

    InMemorySegments(InMemoryContainer container, SegmentRiderFactory riderFactory) {
        this.container = container;
        this.riderFactory = riderFactory;
    }

    /** Restores the checkpoint's riders and applies every durable operation after it. */
    void recover(InMemoryLog log) {
        Checkpoint checkpoint = log.checkpoint;
        Map<Long, Snapshot> snapshots = checkpoint == null ? Map.of() : checkpoint.segments();
        int restored = checkpoint == null ? 0 : checkpoint.ops();
        for (int i = 0; i < log.ops.size(); i++) {
            Op op = log.ops.get(i);
            applyToSegments(op);
            if (i + 1 == restored) {
                snapshots.forEach(this::restore);
            }
            if (i >= restored) {
                applyToRiders(op);
            }
        }
        segments.values().forEach(s -> s.durableLength = s.length);
        riders.forEach((segment, rider) -> rider.durable(get(segment).length));
    }

    private void restore(long segment, Snapshot snapshot) {
        InMemorySegment s = get(segment);
        riders.put(
                segment,
                riderFactory.create(
                        container,
                        s.info(),
                        s.attributes.view(),
                        snapshot.rider().view()));
    }

    void apply(Op op) {
        applyToSegments(op);
        applyToRiders(op);
    }

    private void applyToSegments(Op op) {
        switch (op) {
            case Op.Create c -> {
                if (segments.put(c.segment(), new InMemorySegment(c.segment(), c.kind(), c.attributes())) != null) {
                    throw new IllegalStateException("segment " + c.segment() + " exists");
                }
            }
            case Op.Append a -> get(a.segment()).append(a.data().array());
            case Op.Store s -> {
                InMemorySegment stored = get(s.segment());
                stored.append(s.data().array());
                stored.durableLength = stored.length; // long-term storage has it before the log
            }
            case Op.Truncate t -> {
                InMemorySegment s = get(t.segment());
                s.start = Math.max(s.start, t.position());
            }
            case Op.Seal s -> get(s.segment()).sealed = true;
            case Op.Delete d -> segments.remove(d.segment());
            case Op.Note n -> get(n.segment());
        }
    }

    private void applyToRiders(Op op) {
        switch (op) {
            case Op.Create c -> {
                InMemorySegment s = get(c.segment());
                riders.put(c.segment(), riderFactory.create(container, s.info(), s.attributes.view(), null));
            }
            case Op.Append a ->
                rider(a.segment())
                        .applyAppend(
                                get(a.segment()).length - a.data().array().length,
                                a.data().view());
            case Op.Note n -> rider(n.segment()).applyNote(n.note().view());
            case Op.Delete d -> {
                SegmentRider rider = riders.remove(d.segment());
                if (rider != null) {
                    rider.closed(new StoreFailure.NoSuchSegment(d.segment(), "the segment was deleted"));
                }
            }
            case Op.Truncate t -> {}
            case Op.Store s -> {}
            case Op.Seal s -> rider(s.segment()).applySeal();
        }
    }

    /** All that there is. */
    void makeDurable() {
        for (InMemorySegment s : List.copyOf(segments.values())) {
            SegmentRider rider = riders.get(s.id);
            if (s.durableLength < s.length) {
                s.durableLength = s.length;
                if (rider != null) {
                    rider.durable(s.length);
                }
            }
        }
    }

    /** State of every rider, into {@code all}. */
    void snapshot(Map<Long, Snapshot> all) {
        riders.forEach((segment, rider) -> {
            ByteBuf out = Unpooled.buffer();
            rider.snapshot(out);
            all.put(segment, new Snapshot(Bytes.copyOf(out), get(segment).length));
        });
    }

    /** Riders are told that the term has ended. */
    void close(StoreFailure why) {
        List.copyOf(riders.values()).forEach(rider -> rider.closed(why));
        riders.clear();
    }

    @Nullable
    InMemorySegment find(long segment) {
        return segments.get(segment);
    }

    InMemorySegment get(long segment) {
        InMemorySegment s = segments.get(segment);
        if (s == null) {
            throw new IllegalStateException("no segment " + segment);
        }
        return s;
    }

    SegmentRider rider(long segment) {
        SegmentRider rider = riders.get(segment);
        if (rider == null) {
            throw new IllegalStateException("no rider on segment " + segment);
        }
        return rider;
    }
}
