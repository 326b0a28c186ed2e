package io.sluice.store.container;

import java.util.Map;

/**
 * How far segments were acknowledged by a log that defers the disks' sync, kept where it outlives the term: what the next term does
 * not find, but this says, is lost. It cannot outlive what takes it together with the log's end; then nothing tells how much was
 * lost. One thread at a time.
 */
public interface AcknowledgedEnds {
    /** Place of a segment that has none yet in this term. */
    int NO_PLACE = -1;

    /**
     * The term has acknowledged the segment up to this length.
     *
     * @param place what the last call for the segment gave in this term, or {@link #NO_PLACE}
     * @return the segment's place
     */
    int acknowledged(int place, long segment, long length);

    /** Nothing of the segment can be lost any more; also while a term recovers. */
    void deleted(long segment);

    /**
     * The container's log was taken over for a term. What was kept counts only if the term before was taken over with this, too: an owner elsewhere
     * has kept its own, and what it deleted or moved would look lost here. Blocking.
     */
    void takenOver(long term);

    /** Lengths that earlier terms have left, by segment. Blocking. */
    Map<Long, Long> last();

    /** A term begins, and nothing is known of its segments. */
    void begin();

    /** Keeps nothing. */
    AcknowledgedEnds NONE = new AcknowledgedEnds() {
        @Override
        public int acknowledged(int place, long segment, long length) {
            return NO_PLACE;
        }

        @Override
        public void deleted(long segment) {}

        @Override
        public void takenOver(long term) {}

        @Override
        public Map<Long, Long> last() {
            return Map.of();
        }

        @Override
        public void begin() {}
    };
}
