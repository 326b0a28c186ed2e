package io.sluice.pulsar.scalable;

import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.pulsar.scalable.StreamMember.Assignment;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of a stream subscription by its name, connected or in its grace. Under the subscription's lock. Times are {@link
 * System#nanoTime}.
 */
final class Seat {
    private @Nullable StreamMember member;
    /** When it was last seen connected, and reading something if it had something to read. */
    private long lastAlive;
    /** When the member got its first assignment; meaningless before. */
    private long answeredAt;
    /** Its client has attached to its first segments, and takes notice of others. */
    private boolean listening;

    Seat(StreamMember first, long now) {
        member = first;
        lastAlive = now;
    }

    void take(StreamMember next, long now) {
        member = next;
        listening = false;
        lastAlive = now;
    }

    /** Whether {@code who} was the one that had it. */
    boolean leave(StreamMember who, long now) {
        if (member != who) {
            return false;
        }
        member = null;
        lastAlive = now;
        return true;
    }

    /** Another node shares the segments out from now on. */
    void move() {
        StreamMember its = member;
        if (its != null) {
            its.move();
        }
    }

    boolean connected() {
        return member != null;
    }

    boolean listening() {
        return listening || member == null;
    }

    void alive(long now) {
        lastAlive = now;
    }

    long silentFor(long now) {
        return now - lastAlive;
    }

    /**
     * Tells the client what it has, if that is new to it. A client that attaches to its first segments loses what it is told
     * meanwhile, so that waits.
     *
     * @param readers who reads which segment, as far as its client knows of it
     * @param patience for a client to attach, nanoseconds
     */
    void tell(long epoch, List<ScalableSegment> segments, Map<Long, String> readers, long now, long patience) {
        StreamMember to = member;
        if (to == null) {
            return;
        }
        Assignment told = to.assignment();
        if (told == null) {
            answeredAt = now;
            to.assign(new Assignment(epoch, segments));
            return;
        }
        listening |= now - answeredAt > patience
                || told.segments().stream().allMatch(s -> Objects.equals(readers.get(s.id()), to.name()));
        if (listening && !told.segments().equals(segments)) {
            to.assign(new Assignment(epoch, segments));
        }
    }
}
