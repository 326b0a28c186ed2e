package io.sluice.store.state;

import io.sluice.store.tier.TierRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One segment as of the last operation applied. Positions in bytes.
 *
 * <pre>
 *   0 ....... start ─────── tieredLength ─────────── length
 *     deleted       in objects           in the log
 * </pre>
 */
public final class SegmentState {
    private final long segment;
    private final byte kind;
    private final byte[] attributes;
    long start;
    long length;
    long tieredLength;
    boolean sealed;

    /** Covers {@code [start, tieredLength)} without a gap, lowest first; the first may begin below start. */
    final List<TierRange> manifest = new ArrayList<>(0);

    SegmentState(long segment, byte kind, byte[] attributes) {
        this.segment = segment;
        this.kind = kind;
        this.attributes = attributes;
    }

    public long segment() {
        return segment;
    }

    public byte kind() {
        return kind;
    }

    /** The creator's attributes; not to be changed. */
    public byte[] attributes() {
        return attributes;
    }

    public long start() {
        return start;
    }

    public long length() {
        return length;
    }

    /** Never below {@link #start}: what is truncated needs no place in the tier. */
    public long tieredLength() {
        return tieredLength;
    }

    public boolean sealed() {
        return sealed;
    }

    public List<TierRange> manifest() {
        return Collections.unmodifiableList(manifest);
    }

    /** The range that holds {@code position}, or null if it is not in the tier. */
    public @Nullable TierRange rangeAt(long position) {
        int index = indexAt(position);
        return index < 0 ? null : manifest.get(index);
    }

    /** Where in the manifest the range is that holds {@code position}, or -1. */
    int indexAt(long position) {
        int low = 0;
        int high = manifest.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            TierRange range = manifest.get(middle);
            if (position < range.position()) {
                high = middle - 1;
            } else if (position >= range.end()) {
                low = middle + 1;
            } else {
                return middle;
            }
        }
        return -1;
    }

    /** Asserts the picture above, or throws {@link BrokenInvariant}. */
    public void check() {
        BrokenInvariant.unless(
                start >= 0 && start <= tieredLength && tieredLength <= length, "positions out of order", segment);
        long expected = -1;
        for (TierRange range : manifest) {
            boolean continues =
                    expected < 0 ? range.position() <= start && range.end() > start : range.position() == expected;
            BrokenInvariant.unless(
                    continues && range.segment() == segment && range.length() > 0, "manifest with a gap", segment);
            expected = range.end();
        }
        BrokenInvariant.unless(
                expected < 0 ? tieredLength == start : tieredLength == expected, "manifest ends elsewhere", segment);
    }
}
