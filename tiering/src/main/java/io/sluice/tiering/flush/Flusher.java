package io.sluice.tiering.flush;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.sluice.store.tier.TierHost;
import io.sluice.tiering.flush.FlushPlan.Chosen;
import io.sluice.tiering.flush.FlushPlan.Piece;
import io.sluice.tiering.format.ObjectImage.Part;
import io.sluice.tiering.task.Backoff;
import io.sluice.tiering.task.Surroundings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Moves a container's bytes to the object store: {@link FlushTracker} decides, {@link Uploader} does, {@link CommitQueue} retires. */
public final class Flusher {
    /** Between looks at the dirty list, which may be long. */
    private static final long SCAN_MILLIS = 100;

    private final Surroundings around;
    private final TierHost host;
    private final FlushTracker tracker;
    private final Uploader uploader;
    private final CommitQueue commits;
    private long nextScan;

    public Flusher(Surroundings around, FlushPolicy policy, Backoff backoff) {
        this.around = around;
        this.host = around.host();
        this.tracker = new FlushTracker(policy);
        this.uploader = new Uploader(around, backoff);
        this.commits = new CommitQueue(host, upload -> tracker.retired(upload.chosen));
    }

    /** Changes the policy of later flushes; those under way keep theirs. */
    public void resize(FlushPolicy changed) {
        tracker.resize(changed);
    }

    /** As {@link io.sluice.store.tier.Tier#doWork}. */
    public int doWork(long now) {
        return uploader.retry(commits, now) + commits.commitStored() + flush(now);
    }

    /** All its slots are taken: whatever can wait had better. */
    public boolean saturated() {
        return tracker.room() <= 0;
    }

    private int flush(long now) {
        if (tracker.room() <= 0 || now < nextScan || host.untieredBytes() <= tracker.bytes()) {
            return 0;
        }
        tracker.beginScan();
        host.forEachDirty(tracker::scan);
        int begun = 0;
        Set<Long> cut = new HashSet<>();
        for (Chosen object : tracker.choose(host.flushPressure(), now)) {
            begun += begin(object, cut, now);
        }
        // With all slots taken there may be more to do: look again as soon as one is free.
        nextScan = tracker.room() <= 0 ? now : now + SCAN_MILLIS;
        return begun;
    }

    /** {@code cut}: segments whose bytes could not all be pinned; what follows must wait for a later look. */
    private int begin(Chosen object, Set<Long> cut, long now) {
        List<Piece> pieces = new ArrayList<>(object.pieces().size());
        List<Part> parts = new ArrayList<>(object.pieces().size());
        for (Piece piece : object.pieces()) {
            ByteBuf bytes = cut.contains(piece.segment()) ? null : pin(piece);
            if (bytes == null || bytes.readableBytes() < piece.length()) {
                cut.add(piece.segment());
            }
            if (bytes != null) {
                pieces.add(new Piece(piece.segment(), piece.from(), piece.from() + bytes.readableBytes()));
                parts.add(new Part(piece.segment(), piece.from(), bytes));
            }
        }
        if (pieces.isEmpty()) {
            return 0;
        }
        FlushUpload upload = new FlushUpload(host.nextObject(), new Chosen(pieces), parts);
        tracker.begun(upload.chosen, now);
        commits.add(upload);
        uploader.begin(upload);
        return 1;
    }

    /** As much of the piece as the cache gives, from its start; null if nothing. */
    private @Nullable ByteBuf pin(Piece piece) {
        ByteBuf first = pin(piece, piece.from());
        if (first == null || first.readableBytes() == piece.length()) {
            return first;
        }
        CompositeByteBuf all = around.allocator().compositeDirectBuffer(Integer.MAX_VALUE);
        for (ByteBuf next = first; next != null; next = pin(piece, piece.from() + all.readableBytes())) {
            all.addFlattenedComponents(true, next);
        }
        return all;
    }

    private @Nullable ByteBuf pin(Piece piece, long position) {
        return position == piece.to() ? null : host.pin(piece.segment(), position, (int) (piece.to() - position));
    }

    /** Uploads that are running end by themselves; nothing more is begun. */
    public void close() {
        commits.forEach(Upload::unpin);
    }
}
