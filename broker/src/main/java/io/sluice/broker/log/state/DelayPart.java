package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.DelayRun;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.DelayedRuns;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The partition's state of its {@link DelayedRuns}: entries and runs change it, and a start that moves up. */
final class DelayPart implements StatePart, DelayedRuns {
    static final byte TAG = 13;

    private final List<Run> runs = new ArrayList<>(0);
    private long since;
    private long indexedTo;
    private long unindexedFrom = -1;
    private long delayedEnd;

    @Override
    public long since() {
        return since;
    }

    @Override
    public long indexedTo() {
        return indexedTo;
    }

    @Override
    public long unindexedFrom() {
        return unindexedFrom;
    }

    @Override
    public long delayedEnd() {
        return delayedEnd;
    }

    @Override
    public List<Run> runs() {
        return Collections.unmodifiableList(runs);
    }

    /** A snapshot was read that ends before {@code offset}: if this part was not in it, a server without such an index may have written it. */
    void restoredUpTo(long offset) {
        if (isEmpty()) {
            since = offset;
        }
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return delayedEnd == 0 && runs.isEmpty();
    }

    @Override
    public @Nullable Outcome append(ByteBuf entry, int at, long position) {
        if (EntryHeader.isDelayed(entry, at)) {
            long base = EntryHeader.baseOffset(entry, at);
            unindexedFrom = unindexedFrom < 0 ? base : unindexedFrom;
            delayedEnd = base + EntryHeader.offsets(entry, at);
        } else if (DelayRun.is(entry, at)) {
            add(EntryHeader.baseOffset(entry, at), DelayRun.read(entry, at));
        }
        return null;
    }

    private void add(long base, DelayRun run) {
        Set<Long> replaced = new HashSet<>(run.replaced());
        runs.removeIf(each -> replaced.contains(each.base()));
        if (run.entries() > 0) {
            runs.add(new Run(base, run.entries(), run.first(), run.last()));
        }
        indexedTo = Math.max(indexedTo, run.indexedTo());
        unindexedFrom = delayedEnd > indexedTo ? Math.max(unindexedFrom, indexedTo) : -1;
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.Start moved) {
            runs.removeIf(each -> each.base() < moved.offset());
        }
    }

    /** {@code since, indexedTo, unindexedFrom + 1, delayedEnd, n} and for each run its fields; packed. */
    @Override
    public void snapshot(ByteBuf out) {
        Packed.writeUnsigned(out, since);
        Packed.writeUnsigned(out, indexedTo);
        Packed.writeUnsigned(out, unindexedFrom + 1);
        Packed.writeUnsigned(out, delayedEnd);
        Packed.writeUnsigned(out, runs.size());
        for (Run run : runs) {
            Packed.writeUnsigned(out, run.base());
            Packed.writeUnsigned(out, run.entries());
            Packed.writeUnsigned(out, run.first());
            Packed.writeUnsigned(out, run.last());
        }
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        since = Packed.readUnsigned(in);
        indexedTo = Packed.readUnsigned(in);
        unindexedFrom = Packed.readUnsigned(in) - 1;
        delayedEnd = Packed.readUnsigned(in);
        for (int n = Packed.readCount(in); n > 0; n--) {
            runs.add(new Run(
                    Packed.readUnsigned(in), Packed.readCount(in), Packed.readUnsigned(in), Packed.readUnsigned(in)));
        }
    }
}
