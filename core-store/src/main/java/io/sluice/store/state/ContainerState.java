package io.sluice.store.state;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.collection.LongObjectHashMap;
import io.sluice.store.tier.TierRange;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything a container is, but for bytes and riders: segments, their lengths, what lies in which object.
 *
 * <p>{@code decide*} checks a request against this state and gives the operation, changing nothing; {@link #apply} is the
 * only thing that changes it, in live traffic and in recovery alike. {@code decide*} throws {@link IllegalStateException} or
 * {@link IllegalArgumentException} on a caller's mistake; {@code apply} throws {@link BrokenInvariant}.
 */
public final class ContainerState {
    public static final int MOST_ATTRIBUTE_BYTES = 64 << 10;

    /** An object's number is the term in which it was begun, then a counter of this many bits. */
    private static final int OBJECT_COUNTER_BITS = 32;

    private final LongObjectHashMap<SegmentState> segments = new LongObjectHashMap<>();
    final TierObjects objects = new TierObjects();
    long term;
    long sequence;
    private long objectsThisTerm;

    /** Number of operations applied, checkpoints not counted. */
    public long sequence() {
        return sequence;
    }

    public long term() {
        return term;
    }

    /** A new owner goes on from here. */
    public void beginTerm(long newTerm) {
        if (newTerm <= term || newTerm >>> (63 - OBJECT_COUNTER_BITS) != 0) {
            throw new BrokenInvariant("term " + newTerm + " after " + term);
        }
        term = newTerm;
        objectsThisTerm = 0;
    }

    public @Nullable SegmentState segment(long segment) {
        return segments.get(segment);
    }

    /** Ids of all segments, rising. */
    public long[] segments() {
        long[] ids = new long[segments.size()];
        int next = 0;
        for (LongObjectHashMap.PrimitiveEntry<SegmentState> entry : segments.entries()) {
            ids[next++] = entry.key();
        }
        Arrays.sort(ids);
        return ids;
    }

    /** A number for an object of this term. */
    public long nextObject() {
        return firstObjectOfTerm() + ++objectsThisTerm;
    }

    /** See {@link TierObjects#garbage}. */
    public List<Long> garbage(long durableSequence) {
        return objects.garbage(durableSequence, firstObjectOfTerm());
    }

    /** How often the bytes in {@code object} were rewritten: 0 for what came from the log. */
    public int generation(long object) {
        return objects.generation(object);
    }

    private long firstObjectOfTerm() {
        return term << OBJECT_COUNTER_BITS;
    }

    public LogOperation.CreateSegment decideCreate(long segment, byte kind, ByteBuf attributes) {
        if (segments.containsKey(segment)) {
            throw new IllegalStateException("segment " + segment + " exists");
        }
        if (attributes.readableBytes() > MOST_ATTRIBUTE_BYTES) {
            throw new IllegalArgumentException("attributes of " + attributes.readableBytes() + " bytes");
        }
        return new LogOperation.CreateSegment(segment, kind, attributes);
    }

    public LogOperation.Append decideAppend(long segment, ByteBuf data) {
        SegmentState target = existing(segment);
        if (target.sealed) {
            throw new IllegalStateException("segment " + segment + " is sealed");
        }
        if (!data.isReadable()) {
            throw new IllegalArgumentException("an empty append to segment " + segment);
        }
        return new LogOperation.Append(segment, target.length, data);
    }

    /**
     * Where the next bytes of a segment go that are stored without the log.
     *
     * @throws IllegalStateException if it has bytes that the tier lacks, or takes no more
     */
    public long decideTierAppend(long segment) {
        SegmentState target = existing(segment);
        if (target.sealed || target.tieredLength < target.length) {
            throw new IllegalStateException("segment " + segment + " is sealed or has bytes that the tier lacks");
        }
        return target.length;
    }

    public LogOperation.Note decideNote(long segment, ByteBuf note) {
        existing(segment);
        return new LogOperation.Note(segment, note);
    }

    /** Null if the segment is sealed already. */
    public LogOperation.@Nullable Seal decideSeal(long segment) {
        return existing(segment).sealed ? null : new LogOperation.Seal(segment);
    }

    /** Null if the segment starts there or later already. */
    public LogOperation.@Nullable Truncate decideTruncate(long segment, long position) {
        SegmentState target = existing(segment);
        if (position > target.length) {
            throw new IllegalArgumentException(
                    "truncation of segment " + segment + " to " + position + ", past its length " + target.length);
        }
        return position <= target.start ? null : new LogOperation.Truncate(segment, position);
    }

    public LogOperation.DeleteSegment decideDelete(long segment) {
        existing(segment);
        return new LogOperation.DeleteSegment(segment);
    }

    private SegmentState existing(long segment) {
        SegmentState found = segments.get(segment);
        if (found == null) {
            throw new IllegalStateException("no segment " + segment);
        }
        return found;
    }

    /** Carries an operation out. Deterministic. */
    public void apply(LogOperation operation) {
        switch (operation) {
            case LogOperation.Append append -> append(append);
            case LogOperation.Note note -> known(note.segment());
            case LogOperation.CreateSegment create -> create(create);
            case LogOperation.Seal seal -> seal(known(seal.segment()));
            case LogOperation.Truncate truncate -> truncate(known(truncate.segment()), truncate.position());
            case LogOperation.DeleteSegment delete -> delete(delete.segment());
            case LogOperation.TierIntent intent -> objects.intend(intent.object());
            case LogOperation.TierCommit commit -> commit(commit);
            case LogOperation.TierMerge merge -> merge(merge);
            case LogOperation.TierAppend append -> append(append);
            case LogOperation.TierCollected collected -> collected.objects().forEach(objects::collected);
            case LogOperation.Checkpoint _ -> throw new BrokenInvariant("a checkpoint changes nothing");
        }
        sequence++;
    }

    private SegmentState known(long segment) {
        SegmentState found = segments.get(segment);
        if (found == null) {
            throw new BrokenInvariant("operation on unknown segment " + segment);
        }
        return found;
    }

    private void create(LogOperation.CreateSegment create) {
        byte[] attributes = ByteBufUtil.getBytes(create.attributes());
        add(new SegmentState(create.segment(), create.kind(), attributes));
    }

    void add(SegmentState segment) {
        boolean fresh = segments.put(segment.segment(), segment) == null;
        BrokenInvariant.unless(fresh, "created twice", segment.segment());
    }

    private void append(LogOperation.Append append) {
        SegmentState target = known(append.segment());
        boolean continues = append.position() == target.length && !target.sealed;
        BrokenInvariant.unless(continues, "append that does not continue it", append.segment());
        target.length += append.data().readableBytes();
    }

    private static void seal(SegmentState target) {
        BrokenInvariant.unless(!target.sealed, "sealed twice", target.segment());
        target.sealed = true;
    }

    private void truncate(SegmentState target, long position) {
        boolean forward = position > target.start && position <= target.length;
        BrokenInvariant.unless(forward, "truncated to " + position, target.segment());
        target.start = position;
        target.tieredLength = Math.max(target.tieredLength, position);
        int gone = 0;
        while (gone < target.manifest.size() && target.manifest.get(gone).end() <= position) {
            objects.release(target.manifest.get(gone++).object(), sequence + 1);
        }
        target.manifest.subList(0, gone).clear();
    }

    private void delete(long segment) {
        for (TierRange range : known(segment).manifest) {
            objects.release(range.object(), sequence + 1);
        }
        segments.remove(segment);
    }

    private void commit(LogOperation.TierCommit commit) {
        int references = 0;
        for (TierRange range : commit.ranges()) {
            SegmentState target = segments.get(range.segment());
            // deleted or truncated while the upload was under way: these bytes will not be read
            if (target != null && range.end() > target.start) {
                extendManifest(target, range, commit.object());
                references++;
            }
        }
        objects.commit(commit.object(), references, sequence + 1);
    }

    private static void extendManifest(SegmentState target, TierRange range, long object) {
        boolean continues = range.position() == target.tieredLength
                || (target.manifest.isEmpty() && range.position() < target.start);
        boolean fits = range.object() == object && range.length() > 0 && range.end() <= target.length;
        BrokenInvariant.unless(
                continues && fits, "commit of " + range + " after " + target.tieredLength, target.segment());
        target.manifest.add(range);
        target.tieredLength = range.end();
    }

    private void append(LogOperation.TierAppend append) {
        TierRange range = append.range();
        SegmentState target = segments.get(range.segment());
        if (target != null) {
            boolean continues = range.position() == target.length && target.tieredLength == target.length;
            BrokenInvariant.unless(
                    continues && !target.sealed && range.object() == append.object() && range.length() > 0,
                    "append of " + range + " after " + target.tieredLength + " of " + target.length,
                    target.segment());
            target.manifest.add(range);
            target.length = range.end();
            target.tieredLength = range.end();
        }
        objects.commit(append.object(), target == null ? 0 : 1, sequence + 1);
    }

    private void merge(LogOperation.TierMerge merge) {
        int references = 0;
        int newest = 0;
        for (TierRange merged : merge.ranges()) {
            SegmentState target = segments.get(merged.segment());
            // deleted or truncated while the bytes were rewritten: they will not be read
            if (target != null && merged.end() > target.start) {
                newest = Math.max(newest, replace(target, merged, merge.object()));
                references++;
            }
        }
        objects.commit(merge.object(), references, sequence + 1);
        objects.rewritten(merge.object(), newest);
    }

    /** Puts {@code merged} in the place of the ranges whose bytes it has. Says the highest generation of those. */
    private int replace(SegmentState target, TierRange merged, long object) {
        List<TierRange> manifest = target.manifest;
        int first = target.indexAt(Math.max(merged.position(), target.start));
        BrokenInvariant.unless(first >= 0, "merge of what is not in the tier: " + merged, target.segment());
        // of the lowest ranges some may have been truncated away meanwhile
        boolean begins = manifest.get(first).position() == merged.position()
                || (first == 0 && manifest.getFirst().position() > merged.position());
        int end = first;
        int newest = 0;
        while (end < manifest.size() && manifest.get(end).end() <= merged.end()) {
            TierRange replaced = manifest.get(end++);
            newest = Math.max(newest, objects.generation(replaced.object()));
            objects.release(replaced.object(), sequence + 1);
        }
        boolean ends = end > first && manifest.get(end - 1).end() == merged.end();
        BrokenInvariant.unless(
                begins && ends && merged.object() == object,
                "merge into " + merged + ", which are not whole ranges",
                target.segment());
        manifest.subList(first + 1, end).clear();
        manifest.set(first, merged);
        return newest;
    }
}
