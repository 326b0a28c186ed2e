package io.sluice.pulsar.scalable;

import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consumers of one subscription of a scalable topic, and which segments they have. One virtual thread looks at the segments
 * and shares them out, as long as there are consumers: at once when something is told, and again and again while it waits
 * for a segment to be drained, let go or attached to. Nothing is kept: what was drained stands in the cursors.
 */
final class StreamSubscription implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamSubscription.class);
    static final int MAX_CONSUMERS = 1_000;
    private static final long FIRST_PAUSE = Duration.ofMillis(10).toNanos();
    private static final long LAST_PAUSE = Duration.ofMillis(500).toNanos();
    /** For a client to attach to what it was given. */
    private static final long PATIENCE = Duration.ofSeconds(5).toNanos();

    /** @param topic of clients' names, and the name that clients gave the subscription */
    record Key(TopicName topic, String subscription) {}

    /** @param grace for a consumer whose connection is gone */
    record Surroundings(Supplier<@Nullable ScalableTopic> topic, SegmentLooks looks, Duration grace) {}

    private final Key key;
    private final Surroundings around;
    private final long grace;
    private final SortedMap<String, Seat> seats = new TreeMap<>();
    private boolean kicked = true;
    private boolean looksAgain;
    private boolean ended;

    // ---- of the worker alone

    private long createdAt = -1;
    private final Set<Long> drained = new HashSet<>();
    /** Segment to consumer. */
    private Map<Long, String> held = new TreeMap<>();
    /** Since when a segment has not been attached to by who has it. */
    private final Map<Long, Long> unattached = new HashMap<>();

    private long pause = FIRST_PAUSE;
    /** When it looks again, by {@link System#nanoTime}. */
    private long look = System.nanoTime();

    StreamSubscription(Key key, Surroundings around) {
        this.key = key;
        this.around = around;
        this.grace = around.grace().toNanos();
    }

    Key key() {
        return key;
    }

    // ---- any thread

    /** Answer to {@link #join}. */
    enum Joined {
        YES,
        FULL,
        /** There are no consumers any more, and this one is done. */
        ENDED
    }

    synchronized Joined join(StreamMember member) {
        if (ended) {
            return Joined.ENDED;
        }
        Seat seat = seats.get(member.name());
        if (seat != null) {
            seat.take(member, System.nanoTime());
        } else if (seats.size() >= MAX_CONSUMERS) {
            return Joined.FULL;
        } else {
            seats.put(member.name(), new Seat(member, System.nanoTime()));
        }
        kick();
        return Joined.YES;
    }

    synchronized void left(StreamMember member) {
        Seat seat = seats.get(member.name());
        if (seat != null && seat.leave(member, System.nanoTime())) {
            kick();
        }
    }

    synchronized void kick() {
        kicked = true;
        notifyAll();
    }

    synchronized int size() {
        return seats.size();
    }

    /** Checks drained segments again: a seek may have changed them. */
    synchronized void lookAgain() {
        looksAgain = true;
        kick();
    }

    /** Another node shares the segments out from now on: ends, and has the consumers told. */
    synchronized void move() {
        seats.values().forEach(Seat::move);
        end();
    }

    /** The gateway stops. */
    synchronized void end() {
        seats.clear();
        kick();
    }

    // ---- the worker

    @Override
    public void run() {
        try {
            while (awaitWork()) {
                round();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                ended = true;
            }
        }
    }

    /** Until something is told, or it is time to look again. False when there are no consumers left. */
    private synchronized boolean awaitWork() throws InterruptedException {
        for (long left = look - System.nanoTime(); !kicked && left > 0; left = look - System.nanoTime()) {
            wait(Math.max(1, left / 1_000_000));
        }
        if (kicked) {
            pause = FIRST_PAUSE;
            kicked = false;
            if (looksAgain) {
                drained.clear();
                looksAgain = false;
            }
        }
        long now = System.nanoTime();
        seats.values().removeIf(s -> !s.connected() && s.silentFor(now) >= grace);
        ended |= seats.isEmpty();
        return !ended;
    }

    private void round() {
        ScalableTopic topic = around.topic().get();
        if (topic == null) {
            share(0, List.of(), Map.of());
            return;
        }
        if (topic.createdAt() != createdAt) { // another one of the name has ids of its own
            createdAt = topic.createdAt();
            drained.clear();
            held = new TreeMap<>();
            unattached.clear();
        }
        Map<Long, SegmentSight> sights = new HashMap<>();
        Set<Long> looked = new HashSet<>();
        while (true) {
            List<ScalableSegment> open = topic.graph().readable(id -> isDrained(id, sights));
            List<ScalableSegment> unseen =
                    open.stream().filter(s -> looked.add(s.id())).toList();
            if (unseen.isEmpty()) {
                share(topic.graph().epoch(), open, sights);
                return;
            }
            sights.putAll(around.looks().look(topic, unseen, key.subscription()));
        }
    }

    private boolean isDrained(long id, Map<Long, SegmentSight> sights) {
        SegmentSight sight = sights.get(id);
        return drained.contains(id) || sight != null && sight.drained() && drained.add(id);
    }

    private synchronized void share(long epoch, List<ScalableSegment> open, Map<Long, SegmentSight> sights) {
        long now = System.nanoTime();
        Map<Long, String> attached = new HashMap<>();
        Map<Long, String> known = new HashMap<>();
        sights.forEach((id, sight) -> {
            if (sight.reader() != null) {
                String name = consumerOf(sight.reader(), id);
                attached.put(id, name);
                if (sight.ready()) {
                    known.put(id, name);
                }
            }
        });
        // of a segment that nobody has, and that cannot be looked at, a consumer may be reading
        List<ScalableSegment> seen = open.stream()
                .filter(s -> sights.containsKey(s.id()) || held.containsKey(s.id()))
                .toList();
        Map<Long, String> next = SegmentShares.next(seen, consumers(attached, sights, now), held, attached);
        takeBack(next, attached, sights, now);
        if (!next.equals(held)) {
            LOG.debug("{}, {}: segments go to {}", PulsarNames.ofScalable(key.topic()), key.subscription(), next);
            held = next;
            pause = FIRST_PAUSE;
        }
        seats.forEach((name, seat) -> {
            List<ScalableSegment> its =
                    open.stream().filter(s -> name.equals(held.get(s.id()))).toList();
            seat.tell(epoch, its, known, now, PATIENCE);
        });
        boolean settled = held.equals(attached)
                && held.size() == open.size()
                && open.stream().allMatch(ScalableSegment::isActive)
                && seats.values().stream().allMatch(Seat::listening);
        look = settled ? now + untilNextGraceEnds(now) : now + pause;
        pause = Math.min(2 * pause, LAST_PAUSE);
    }

    /** Consumers that count: connected or in their grace period, and not known to read nothing of their segments. */
    private SortedSet<String> consumers(Map<Long, String> attached, Map<Long, SegmentSight> sights, long now) {
        Set<String> reading = new HashSet<>(attached.values());
        Set<String> missing = new HashSet<>();
        held.forEach((id, name) -> {
            if (sights.containsKey(id)) {
                missing.add(name);
            } else {
                reading.add(name);
            }
        });
        SortedSet<String> counted = new TreeSet<>();
        seats.forEach((name, seat) -> {
            if (seat.connected() && (reading.contains(name) || !missing.contains(name))) {
                seat.alive(now);
            }
            if (seat.silentFor(now) < grace) {
                counted.add(name);
            }
        });
        // when all are silent, none is worse than another
        return counted.isEmpty() ? new TreeSet<>(seats.keySet()) : counted;
    }

    /** Takes segments back that a client could not attach to: it tries again only when they are assigned anew. */
    private void takeBack(
            Map<Long, String> next, Map<Long, String> attached, Map<Long, SegmentSight> sights, long now) {
        unattached.keySet().removeIf(id -> attached.containsKey(id) || !next.containsKey(id));
        next.entrySet().removeIf(e -> {
            long id = e.getKey();
            Seat seat = seats.get(e.getValue());
            boolean waits = sights.containsKey(id)
                    && !attached.containsKey(id)
                    && e.getValue().equals(held.get(id))
                    && seat != null
                    && seat.connected();
            if (!waits) {
                unattached.remove(id);
                return false;
            }
            Long since = unattached.putIfAbsent(id, now);
            boolean tooLong = since != null && now - since > PATIENCE;
            if (tooLong) {
                unattached.remove(id);
            }
            return tooLong;
        });
    }

    /** Nanoseconds; long enough if no consumer is in its grace. */
    private long untilNextGraceEnds(long now) {
        return seats.values().stream()
                .filter(s -> !s.connected())
                .mapToLong(s -> Math.max(0, grace - s.silentFor(now)))
                .min()
                .orElse(Long.MAX_VALUE / 4);
    }

    /** A client names its consumer of a segment by its own name and the segment's id. */
    private static String consumerOf(String reader, long segment) {
        String suffix = "-seg-" + segment;
        return reader.endsWith(suffix) ? reader.substring(0, reader.length() - suffix.length()) : reader;
    }
}
