package io.sluice.broker.scalable;

import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The scalable segments of a topic, with what came from what. Pure and immutable.
 *
 * <pre>
 *                   ┌─ 1: 0000-7fff ─┐
 *   0: 0000-ffff ───┤                ├─ 3: 0000-ffff      a key's messages lie along one path, in order:
 *                   └─ 2: 8000-ffff ─┘                    a scalable segment ends before its children begin
 *      sealed          sealed            active
 * </pre>
 *
 * The active ones cover every hash once. Ids rise from parents to children, so there is no circle.
 *
 * @param epoch rises by one with every change
 * @param nextId of the next scalable segment
 * @param segments by id
 */
public record ScalableGraph(long epoch, long nextId, SortedMap<Long, ScalableSegment> segments) {
    /** Active scalable segments of a topic, at most. */
    public static final int MAX_ACTIVE = 64;

    /** Scalable segments of a topic at most, sealed ones included. */
    static final int MAX_SEGMENTS = 4096;

    /** @throws IllegalArgumentException the scalable segments are no such graph; says why */
    public ScalableGraph {
        segments = Collections.unmodifiableSortedMap(new TreeMap<>(segments));
        String fault = fault(epoch, nextId, segments);
        if (fault != null) {
            throw new IllegalArgumentException("not a graph of segments: " + fault);
        }
    }

    /**
     * Graph of a new topic, with even ranges; the last one has the remainder.
     *
     * @throws TopicException INVALID_SEGMENT for fewer than one or more than {@link #MAX_ACTIVE} scalable segments
     */
    public static ScalableGraph first(int count, long now) throws TopicException {
        if (count < 1 || count > MAX_ACTIVE) {
            throw invalid("a scalable topic begins with 1 to " + MAX_ACTIVE + " segments, not " + count);
        }
        SortedMap<Long, ScalableSegment> made = new TreeMap<>();
        int each = (KeyHashRange.MAX + 1) / count;
        for (int i = 0; i < count; i++) {
            KeyHashRange range = new KeyHashRange(i * each, i == count - 1 ? KeyHashRange.MAX : (i + 1) * each - 1);
            made.put((long) i, ScalableSegment.active(i, range, List.of(), 0, now));
        }
        return new ScalableGraph(0, count, made);
    }

    public @Nullable ScalableSegment find(long id) {
        return segments.get(id);
    }

    public Collection<ScalableSegment> all() {
        return segments.values();
    }

    /** By range. */
    public List<ScalableSegment> active() {
        return segments.values().stream()
                .filter(ScalableSegment::isActive)
                .sorted(Comparator.comparingInt(s -> s.range().start()))
                .toList();
    }

    /**
     * Graph after the split of {@code id} into two halves.
     *
     * @throws TopicException INVALID_SEGMENT if there is no such active scalable segment, it has one hash only, or there are too many
     */
    public ScalableGraph split(long id, long now) throws TopicException {
        ScalableSegment parent = activeOne(id);
        if (parent.range().size() < 2) {
            throw invalid("segment " + id + " has a single hash and cannot be split");
        }
        if (active().size() >= MAX_ACTIVE) {
            throw invalid("the topic has " + MAX_ACTIVE + " active segments, which is the most");
        }
        return follow(
                List.of(parent),
                List.of(
                        ScalableSegment.active(nextId, parent.range().lower(), List.of(id), epoch + 1, now),
                        ScalableSegment.active(nextId + 1, parent.range().upper(), List.of(id), epoch + 1, now)),
                now);
    }

    /**
     * Graph after the merge of two neighbours.
     *
     * @throws TopicException INVALID_SEGMENT if they are not two active scalable segments, one's range ending where the other's begins
     */
    public ScalableGraph merge(long one, long other, long now) throws TopicException {
        ScalableSegment a = activeOne(one);
        ScalableSegment b = activeOne(other);
        ScalableSegment lower = a.range().start() <= b.range().start() ? a : b;
        ScalableSegment upper = lower == a ? b : a;
        if (!lower.range().isBefore(upper.range())) {
            throw invalid("segments " + one + " and " + other + " are not adjacent");
        }
        KeyHashRange range = lower.range().with(upper.range());
        return follow(
                List.of(lower, upper),
                List.of(ScalableSegment.active(nextId, range, List.of(one, other), epoch + 1, now)),
                now);
    }

    /**
     * Graph after {@code id} is replaced by another with the same hashes.
     *
     * @throws TopicException INVALID_SEGMENT if there is no such active scalable segment
     */
    public ScalableGraph renew(long id, long now) throws TopicException {
        ScalableSegment parent = activeOne(id);
        return follow(
                List.of(parent),
                List.of(ScalableSegment.active(nextId, parent.range(), List.of(id), epoch + 1, now)),
                now);
    }

    /**
     * Graph after the partitions of a classic topic, which are the active scalable segments, are replaced by as many others. Classic
     * producers choose among partitions otherwise than by ranges: each may have any key, and comes before all that follow.
     */
    ScalableGraph migrated(long now) throws TopicException {
        List<ScalableSegment> partitions = active();
        List<Long> ids = partitions.stream().map(ScalableSegment::id).toList();
        List<ScalableSegment> children = new ArrayList<>();
        for (ScalableSegment partition : partitions) {
            children.add(ScalableSegment.active(nextId + children.size(), partition.range(), ids, epoch + 1, now));
        }
        return follow(partitions.stream().map(ScalableSegment::ofAnyKey).toList(), children, now);
    }

    /** The same, without using an id again that a change has used which is undone: its scalable segments may be made late. */
    ScalableGraph afterUndoing(ScalableGraph next) {
        return new ScalableGraph(epoch, Math.max(nextId, next.nextId()), segments);
    }

    private ScalableGraph follow(List<ScalableSegment> parents, List<ScalableSegment> children, long now)
            throws TopicException {
        if (segments.size() + children.size() > MAX_SEGMENTS) {
            throw invalid("the topic has " + segments.size() + " segments, sealed ones included: too many to add some");
        }
        List<Long> ids = children.stream().map(ScalableSegment::id).toList();
        SortedMap<Long, ScalableSegment> next = new TreeMap<>(segments);
        parents.forEach(p -> next.put(p.id(), p.sealed(ids, epoch + 1, now)));
        children.forEach(c -> next.put(c.id(), c));
        return new ScalableGraph(epoch + 1, nextId + children.size(), next);
    }

    /**
     * Without sealed scalable segments of which nothing is left. Their children count as first ones then, so none may go before its
     * parents.
     *
     * @throws TopicException NOT_FOUND for one that is not there, INVALID_SEGMENT if one is active, or has a parent that stays
     */
    public ScalableGraph without(Set<Long> spent) throws TopicException {
        for (long id : spent) {
            ScalableSegment gone = segments.get(id);
            if (gone == null) {
                throw new TopicException(Reason.NOT_FOUND, "Segment not found: " + id);
            }
            if (gone.isActive()) {
                throw invalid("segment " + id + " is active");
            }
            if (!spent.containsAll(gone.parents())) {
                throw invalid("segment " + id + " has a parent that stays");
            }
        }
        SortedMap<Long, ScalableSegment> next = new TreeMap<>();
        segments.values().stream()
                .filter(s -> !spent.contains(s.id()))
                .forEach(s -> next.put(s.id(), s.without(spent)));
        return new ScalableGraph(epoch + 1, nextId, next);
    }

    /**
     * Sealed scalable segments that may go: they are spent, and so is all before them.
     *
     * @param spent asked of those only whose parents are, and which are sealed
     */
    public Set<Long> spent(LongPredicate spent) {
        Set<Long> found = new HashSet<>();
        for (ScalableSegment s : segments.values()) {
            if (!s.isActive() && found.containsAll(s.parents()) && spent.test(s.id())) {
                found.add(s.id());
            }
        }
        return found;
    }

    /** Scalable segments that are not in {@code next}. */
    public List<ScalableSegment> removedBy(ScalableGraph next) {
        return next.addedBy(this);
    }

    /**
     * Scalable segments that may be read now: every message before them, by their keys, is acknowledged, and they are not done with
     * themselves. Each hash has one at most.
     *
     * @param drained whether all of a sealed scalable segment is acknowledged; asked of those only before which nothing is left
     * @return by range
     */
    public List<ScalableSegment> readable(LongPredicate drained) {
        List<ScalableSegment> open = new ArrayList<>();
        Set<Long> passed = new HashSet<>();
        // ids rise from parents to children; a parent that is gone has nothing to read
        for (ScalableSegment s : segments.values()) {
            if (!s.parents().stream().allMatch(passed::contains)) {
                continue;
            }
            if (!s.isActive() && drained.test(s.id())) {
                passed.add(s.id());
            } else {
                open.add(s);
            }
        }
        open.sort(Comparator.comparingInt((ScalableSegment s) -> s.range().start())
                .thenComparingLong(ScalableSegment::id));
        return open;
    }

    /** Scalable segments of {@code next} that are not here. */
    public List<ScalableSegment> addedBy(ScalableGraph next) {
        return next.all().stream().filter(s -> !segments.containsKey(s.id())).toList();
    }

    /** Scalable segments that are active here and not in {@code next}. */
    public List<ScalableSegment> sealedBy(ScalableGraph next) {
        return active().stream()
                .filter(s -> {
                    ScalableSegment then = next.find(s.id());
                    return then == null || !then.isActive();
                })
                .toList();
    }

    private ScalableSegment activeOne(long id) throws TopicException {
        ScalableSegment segment = segments.get(id);
        if (segment == null) {
            throw new TopicException(Reason.NOT_FOUND, "Segment not found: " + id);
        }
        if (!segment.isActive()) {
            throw invalid("segment " + id + " is not active");
        }
        return segment;
    }

    private static TopicException invalid(String why) {
        return new TopicException(Reason.INVALID_SEGMENT, why);
    }

    private static @Nullable String fault(long epoch, long nextId, SortedMap<Long, ScalableSegment> segments) {
        List<ScalableSegment> active = new ArrayList<>();
        for (Map.Entry<Long, ScalableSegment> e : segments.entrySet()) {
            ScalableSegment s = e.getValue();
            if (s.id() != e.getKey() || s.id() < 0 || s.id() >= nextId) {
                return "segment " + s.id() + " has no place below " + nextId;
            }
            if (s.createdAtEpoch() > epoch || s.sealedAtEpoch() > epoch) {
                return "segment " + s.id() + " is of a later epoch than " + epoch;
            }
            if (s.isActive() && !s.children().isEmpty()) {
                return "segment " + s.id() + " is active and has children";
            }
            String why = faultOfLinks(s, segments);
            if (why != null) {
                return why;
            }
            if (s.isActive()) {
                active.add(s);
            }
        }
        return faultOfRanges(active);
    }

    private static @Nullable String faultOfLinks(ScalableSegment s, SortedMap<Long, ScalableSegment> segments) {
        Set<Long> links = new HashSet<>(s.parents());
        links.addAll(s.children());
        if (links.size() != s.parents().size() + s.children().size()) {
            return "segment " + s.id() + " has the same neighbour twice";
        }
        for (long parent : s.parents()) {
            ScalableSegment p = segments.get(parent);
            if (parent >= s.id() || p == null || !p.children().contains(s.id())) {
                return "segment " + s.id() + " is no child of its parent " + parent;
            }
        }
        for (long child : s.children()) {
            ScalableSegment c = segments.get(child);
            if (child <= s.id() || c == null || !c.parents().contains(s.id())) {
                return "segment " + s.id() + " is no parent of its child " + child;
            }
        }
        return null;
    }

    private static @Nullable String faultOfRanges(List<ScalableSegment> active) {
        active.sort(Comparator.comparingInt(s -> s.range().start()));
        int next = 0;
        for (ScalableSegment s : active) {
            if (s.range().start() != next) {
                return "the ranges of active segments overlap or leave a gap at %04x".formatted(next);
            }
            next = s.range().end() + 1;
        }
        return next == KeyHashRange.MAX + 1 ? null : "no active segment has the hash %04x".formatted(next);
    }
}
