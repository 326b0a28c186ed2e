package io.sluice.tiering.flush;

import io.netty.buffer.ByteBuf;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.format.ObjectImage.Part;
import java.util.List;

/**
 * One object on its way.
 *
 * <pre>
 *   RECORDING ─intent durable─► RUNNING ─► STORED ─► (its turn: commit sequenced)
 *                                ▲   │
 *                                │   ▼ failed
 *                                PAUSED
 * </pre>
 *
 * Loop only. The pinned bytes are held from the choice until the object is stored.
 */
public class Upload {
    enum State {
        RECORDING,
        RUNNING,
        PAUSED,
        STORED
    }

    final long object;
    State state = State.RECORDING;
    int failures;
    /** When to try again, milliseconds since the epoch; while PAUSED. */
    long retryAt;
    /** Ranges to commit; once STORED. */
    List<TierRange> ranges = List.of();

    private List<Part> pinned;

    /** Takes the pinned bytes over. */
    public Upload(long object, List<Part> pinned) {
        this.object = object;
        this.pinned = pinned;
    }

    public long object() {
        return object;
    }

    /** The object is in the store, and {@link #ranges} are to be committed. */
    public boolean stored() {
        return state == State.STORED;
    }

    public List<TierRange> ranges() {
        return ranges;
    }

    /** The pinned bytes, retained once more, for a task that releases them. */
    List<Part> retainPinned() {
        pinned.forEach(part -> part.bytes().retain());
        return pinned;
    }

    /** Idempotent. */
    public void unpin() {
        release(pinned);
        pinned = List.of();
    }

    static void release(List<Part> parts) {
        parts.stream().map(Part::bytes).forEach(ByteBuf::release);
    }
}
