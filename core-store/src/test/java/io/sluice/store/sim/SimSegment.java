package io.sluice.store.sim;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one owner's clients know of a segment: what was asked for, in order, and how much of that was promised. */
public final class SimSegment {
    final long id;
    final List<SimAppend> appends = new ArrayList<>();
    final List<Long> notes = new ArrayList<>();
    long length;
    long promisedLength;
    /** Of which an owner knew that it was on the disks. */
    long safeLength;

    int promisedNotes;
    long start;
    long promisedStart;
    boolean sealed;
    boolean sealPromised;
    boolean createPromised;
    boolean deleted;
    boolean deletePromised;

    SimSegment(long id) {
        this.id = id;
    }

    /** Whether it is written past the log. */
    boolean isStored() {
        return id % 4 == 0;
    }

    SimAppend append(long appendId, int bytes) {
        SimAppend append = new SimAppend(appendId, length, bytes);
        appends.add(append);
        length += bytes;
        return append;
    }

    /** The append that holds {@code position}. */
    @Nullable
    SimAppend holding(long position) {
        int low = 0;
        int high = appends.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            SimAppend append = appends.get(middle);
            if (position < append.position()) {
                high = middle - 1;
            } else if (position >= append.end()) {
                low = middle + 1;
            } else {
                return append;
            }
        }
        return null;
    }

    /** What is left of it with {@code recoveredLength} bytes and {@code recoveredNotes} notes: all of that is promised now. */
    SimSegment recovered(long recoveredLength, int recoveredNotes, long recoveredStart, boolean recoveredSealed) {
        SimSegment left = new SimSegment(id);
        appends.stream().filter(append -> append.end() <= recoveredLength).forEach(left.appends::add);
        left.length = recoveredLength;
        left.promisedLength = recoveredLength;
        left.safeLength = recoveredLength;
        left.notes.addAll(notes.subList(0, recoveredNotes));
        left.promisedNotes = recoveredNotes;
        left.start = recoveredStart;
        left.promisedStart = recoveredStart;
        left.sealed = recoveredSealed;
        left.sealPromised = recoveredSealed;
        left.createPromised = true;
        return left;
    }
}
