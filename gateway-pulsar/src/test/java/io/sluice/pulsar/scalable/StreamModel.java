package io.sluice.pulsar.scalable;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.scalable.KeyHashRange;
import io.sluice.broker.scalable.ScalableGraph;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.topic.TopicException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;

/**
 * A topic with one subscription, in which everything happens in any order: sends, splits and merges, consumers that come and go,
 * and clients that do late what they are told. Throws an {@link AssertionError} when a hash's messages are read out of order,
 * or two consumers want the same segment.
 */
final class StreamModel {
    private static final int HASHES = 24;

    /** What is tried. */
    interface Rules {
        Rules REAL = new Rules() {};

        default List<ScalableSegment> open(ScalableGraph graph, LongPredicate drained) {
            return graph.readable(drained);
        }

        default Map<Long, String> next(
                Collection<ScalableSegment> open,
                SortedSet<String> consumers,
                Map<Long, String> held,
                Map<Long, String> attached) {
            return SegmentShares.next(open, consumers, held, attached);
        }
    }

    private record Message(int hash, int number) {}

    private final Random random;
    private final Rules rules;
    private ScalableGraph graph = ScalableGraph.first(2, 0);
    private final Map<Long, List<Message>> log = new HashMap<>();
    private final Map<Long, Integer> acked = new HashMap<>();
    private final Map<Integer, Integer> sent = new HashMap<>();
    private final Map<Integer, Integer> seen = new HashMap<>();
    private final TreeMap<String, Set<Long>> told = new TreeMap<>();
    private final Map<Long, String> attached = new HashMap<>();
    private final Map<Long, Integer> position = new HashMap<>();
    private Map<Long, String> held = new TreeMap<>();
    private int names;

    StreamModel(long seed, Rules rules) throws TopicException {
        this.random = new Random(seed);
        this.rules = rules;
    }

    void run(int steps) throws TopicException {
        for (int i = 0; i < steps; i++) {
            switch (random.nextInt(20)) {
                case 0 -> split();
                case 1 -> merge();
                case 2 -> join();
                case 3 -> leave();
                case 4, 5, 6, 7 -> send();
                case 8, 9, 10 -> round();
                default -> client();
            }
        }
        settle();
    }

    private void send() {
        int hash = random.nextInt(HASHES) * (KeyHashRange.MAX / HASHES);
        ScalableSegment to = graph.active().stream()
                .filter(s -> s.range().start() <= hash && hash <= s.range().end())
                .findFirst()
                .orElseThrow();
        log.computeIfAbsent(to.id(), id -> new ArrayList<>()).add(new Message(hash, sent.merge(hash, 1, Integer::sum)));
    }

    private void split() throws TopicException {
        List<ScalableSegment> active = graph.active();
        ScalableSegment one = active.get(random.nextInt(active.size()));
        if (active.size() < 12 && one.range().size() > 1) {
            graph = graph.split(one.id(), 0);
        }
    }

    private void merge() throws TopicException {
        List<ScalableSegment> active = graph.active();
        int at = random.nextInt(active.size());
        if (at > 0) {
            graph = graph.merge(active.get(at - 1).id(), active.get(at).id(), 0);
        }
    }

    private void join() {
        if (told.size() < 6) {
            told.put("c" + names++, new HashSet<>());
        }
    }

    private void leave() {
        if (!told.isEmpty()) {
            String gone = new ArrayList<>(told.keySet()).get(random.nextInt(told.size()));
            told.remove(gone);
            attached.values().removeIf(gone::equals);
        }
    }

    private List<Message> messages(long segment) {
        return log.getOrDefault(segment, List.of());
    }

    private boolean drained(long segment) {
        return acked.getOrDefault(segment, 0) == messages(segment).size();
    }

    private List<ScalableSegment> round() {
        List<ScalableSegment> open = rules.open(graph, this::drained);
        Map<Long, String> before = held;
        held = rules.next(open, new TreeSet<>(told.keySet()), held, new HashMap<>(attached));
        assertThat(held.keySet())
                .isSubsetOf(open.stream().map(ScalableSegment::id).toList());
        told.forEach((name, segments) -> {
            segments.clear();
            held.forEach((id, holder) -> {
                if (holder.equals(name)) {
                    segments.add(id);
                }
            });
        });
        assertThat(before).isNotNull();
        return open;
    }

    /** Some client does one thing. */
    private void client() {
        if (told.isEmpty()) {
            return;
        }
        String name = new ArrayList<>(told.keySet()).get(random.nextInt(told.size()));
        Set<Long> its = told.getOrDefault(name, Set.of());
        Set<Long> reading = new HashSet<>();
        attached.forEach((id, reader) -> {
            if (reader.equals(name)) {
                reading.add(id);
            }
        });
        for (long id : reading) {
            if (!its.contains(id)) {
                attached.remove(id);
                return;
            }
        }
        for (long id : its) {
            String reader = attached.get(id);
            if (reader == null) {
                attached.put(id, name);
                position.put(id, acked.getOrDefault(id, 0));
                return;
            }
            assertThat(reader).as("who reads segment " + id).isEqualTo(name);
        }
        if (!reading.isEmpty()) {
            read(new ArrayList<>(reading).get(random.nextInt(reading.size())));
        }
    }

    private void read(long id) {
        List<Message> all = messages(id);
        int at = position.getOrDefault(id, 0);
        int to = Math.min(all.size(), at + 1 + random.nextInt(4));
        for (Message m : all.subList(at, to)) {
            int last = seen.getOrDefault(m.hash(), 0);
            assertThat(m.number()).as("after " + last + " of hash " + m.hash()).isLessThanOrEqualTo(last + 1);
            seen.put(m.hash(), Math.max(last, m.number()));
        }
        position.put(id, to);
        if (random.nextBoolean()) {
            acked.put(id, to);
        }
    }

    /** Nothing new happens: all is read, and shares are even. */
    private void settle() {
        if (told.isEmpty()) {
            join();
        }
        for (int i = 0; i < 20_000; i++) {
            List<ScalableSegment> open = round();
            for (int k = 0; k < 10; k++) {
                client();
            }
            if (seen.equals(sent) && held.equals(attached) && open.stream().allMatch(ScalableSegment::isActive)) {
                assertThat(held).hasSize(graph.active().size());
                int[] sizes = told.values().stream().mapToInt(Set::size).toArray();
                int most = java.util.Arrays.stream(sizes).max().orElseThrow();
                int least = java.util.Arrays.stream(sizes).min().orElseThrow();
                assertThat(most - least).isBetween(0, 1);
                assertJoinsAndLeavesChangeLittle(open);
                return;
            }
        }
        throw new AssertionError(
                "it does not settle: " + held + ", attached " + attached + ", seen " + seen + " of " + sent);
    }

    private void assertJoinsAndLeavesChangeLittle(List<ScalableSegment> open) {
        TreeSet<String> more = new TreeSet<>(told.keySet());
        more.add("a-new-one");
        Map<Long, String> after = rules.next(open, more, held, new HashMap<>(attached));
        assertThat(open.size() - after.size()).isEqualTo(open.size() / more.size());
        assertThat(held).containsAllEntriesOf(after);

        TreeSet<String> fewer = new TreeSet<>(told.keySet());
        String gone = fewer.first();
        fewer.remove(gone);
        attached.values().removeIf(gone::equals);
        Map<Long, String> then = rules.next(open, fewer, held, new HashMap<>(attached));
        assertThat(then).hasSize(fewer.isEmpty() ? 0 : open.size());
        then.forEach((id, holder) -> assertThat(holder).isIn(gone.equals(held.get(id)) ? fewer : Set.of(held.get(id))));
    }
}
