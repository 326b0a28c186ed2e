package io.sluice.pulsar.replication.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Clusters that replicate one partition to each other, in any order and speed, with restarts. What one consumer anywhere has acknowledged may count
 * as acknowledged everywhere; nothing else may.
 */
final class SyncSim {
    /** Bugs that are planted, which the simulation has to find. */
    enum Bug {
        NONE,
        /** A cluster answers with a place behind its request. */
        PLACE_TOO_FAR,
        /** Replicators send markers ahead of messages. */
        MARKERS_OVERTAKE
    }

    private static final String SUBSCRIPTION = "s";

    /** A message, or a marker; {@code from} is null if it was written here. */
    private record Entry(
            long message, @Nullable Marker marker, @Nullable String from) {}

    private static final class Cluster {
        private final String name;
        private final List<Entry> log = new ArrayList<>();
        private final Map<String, Integer> sent = new LinkedHashMap<>();
        private final Set<Long> has = new HashSet<>();
        private SubscriptionSync sync;
        private long dataEnd;
        /** -1 without the subscription. */
        private long ackedBelow = -1;

        Cluster(String name, SubscriptionSync sync) {
            this.name = name;
            this.sync = sync;
        }

        private int afterLastMessage() {
            int end = log.size();
            while (end > 0 && log.get(end - 1).marker() != null) {
                end--;
            }
            return end;
        }
    }

    private final Random random;
    private final Bug bug;
    private final Map<String, Cluster> clusters = new LinkedHashMap<>();
    private final Set<Long> consumed = new HashSet<>();
    private long messages;
    private long ids;
    private long now;

    SyncSim(long seed, int size, Bug bug) {
        this.random = new Random(seed);
        this.bug = bug;
        for (String name : List.of("a", "b", "c").subList(0, size)) {
            clusters.put(name, new Cluster(name, sync(name)));
        }
        for (Cluster each : clusters.values()) {
            others(each).forEach(other -> each.sent.put(other, 0));
        }
        cluster("a").ackedBelow = 0;
    }

    private SubscriptionSync sync(String name) {
        return new SubscriptionSync(name, () -> name + ids++);
    }

    private Cluster cluster(String name) {
        Cluster cluster = clusters.get(name);
        if (cluster == null) {
            throw new IllegalStateException(name);
        }
        return cluster;
    }

    private Set<String> others(Cluster of) {
        Set<String> others = new TreeSet<>(clusters.keySet());
        others.remove(of.name);
        return others;
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            Cluster at = any(List.copyOf(clusters.values()));
            switch (random.nextInt(12)) {
                case 0, 1 -> publish(at);
                case 2 -> consume(at, at.ackedBelow + random.nextInt(5));
                case 3 -> tick(at, random.nextInt(10) == 0 ? Set.of() : others(at));
                case 4 -> {
                    if (random.nextInt(20) == 0) {
                        restart(at);
                    }
                }
                default -> replicate(at, any(List.copyOf(at.sent.keySet())));
            }
            now += random.nextInt(300);
        }
    }

    /** Everything that was begun comes to its end, and the consumer in one cluster gets to the end of its log. */
    void settle() {
        Cluster last =
                any(clusters.values().stream().filter(c -> c.ackedBelow >= 0).toList());
        publish(last);
        for (int round = 0; round < 100; round++) {
            for (Cluster each : clusters.values()) {
                for (String other : each.sent.keySet()) {
                    while (each.sent.get(other) < each.log.size()) {
                        replicate(each, other);
                    }
                }
                tick(each, others(each));
            }
            consume(last, last.log.size());
            now += 1_000;
        }
        for (Cluster each : clusters.values()) {
            assertThat(each.ackedBelow)
                    .as("%s after %s", each.name, last.name)
                    .isGreaterThanOrEqualTo(each.afterLastMessage());
        }
    }

    private void publish(Cluster at) {
        append(at, new Entry(messages++, null, null));
    }

    private static void append(Cluster at, Entry entry) {
        if (entry.marker() == null) {
            at.has.add(entry.message());
        }
        at.log.add(entry);
    }

    private static void write(Cluster at, Marker marker) {
        append(at, new Entry(-1, marker, null));
    }

    private void consume(Cluster at, long to) {
        if (at.ackedBelow < 0) {
            return;
        }
        for (long offset = at.ackedBelow; offset < Math.min(to, at.log.size()); offset++) {
            Entry entry = at.log.get((int) offset);
            if (entry.marker() == null) {
                consumed.add(entry.message());
            } else if (entry.marker() instanceof Marker.Taken taken && random.nextBoolean()) {
                at.sync.found(taken);
            }
            at.ackedBelow = offset + 1;
        }
    }

    private void tick(Cluster at, Set<String> others) {
        Map<String, Long> acked = new HashMap<>();
        if (at.ackedBelow >= 0) {
            acked.put(SUBSCRIPTION, at.ackedBelow);
        }
        at.sync.tick(now, at.dataEnd, others, acked).forEach(marker -> write(at, marker));
    }

    private void restart(Cluster at) {
        at.sync = sync(at.name);
        at.sent.replaceAll((other, next) -> Math.max(0, next - random.nextInt(4)));
        at.dataEnd = at.sent.values().stream().mapToInt(next -> next).max().orElse(0);
    }

    private void replicate(Cluster from, String to) {
        int next = from.sent.getOrDefault(to, 0);
        if (next == from.log.size()) {
            return;
        }
        Entry entry = from.log.get(next);
        from.sent.put(to, next + 1);
        if (bug == Bug.MARKERS_OVERTAKE
                && next + 1 < from.log.size()
                && from.log.get(next + 1).marker() != null) {
            send(from, cluster(to), from.log.get(next + 1), next + 1);
        }
        send(from, cluster(to), entry, next);
    }

    private void send(Cluster from, Cluster to, Entry entry, int offset) {
        Marker marker = entry.marker();
        if (marker == null) {
            from.dataEnd = Math.max(from.dataEnd, offset + 1);
            if (entry.from() == null && !to.has.contains(entry.message())) {
                append(to, new Entry(entry.message(), null, from.name));
            }
        } else if (entry.from() == null) {
            if (isFor(marker, to.name)) {
                append(to, new Entry(-1, marker, from.name));
            }
        } else if (entry.from().equals(to.name)) {
            receive(from, to.name, marker, offset);
        }
    }

    private static boolean isFor(Marker marker, String cluster) {
        return switch (marker) {
            case Marker.Request _ -> true;
            case Marker.Update _ -> true;
            case Marker.Response r -> r.to().equals(cluster);
            case Marker.Taken _ -> false;
        };
    }

    private void receive(Cluster at, String from, Marker marker, int offset) {
        Place here = new Place(1, offset);
        switch (marker) {
            case Marker.Request request -> {
                Place answer = bug == Bug.PLACE_TOO_FAR ? new Place(1, offset + 3) : here;
                write(at, at.sync.asked(request, from, answer));
            }
            case Marker.Response response -> {
                Marker next = at.sync.answered(response, from, here, at.dataEnd);
                if (next != null) {
                    write(at, next);
                }
            }
            case Marker.Update update -> update(at, update);
            case Marker.Taken _ -> throw new IllegalStateException("stays where it was");
        }
    }

    private void update(Cluster at, Marker.Update update) {
        Place place = update.places().get(at.name);
        if (place == null || at.ackedBelow > place.entry()) {
            return;
        }
        for (int offset = 0; offset <= place.entry() && offset < at.log.size(); offset++) {
            Entry entry = at.log.get(offset);
            if (entry.marker() == null && !consumed.contains(entry.message())) {
                throw new AssertionError("message " + entry.message() + " is left out in " + at.name);
            }
        }
        at.ackedBelow = place.entry() + 1;
        at.sync.followed(SUBSCRIPTION, at.ackedBelow);
    }
}
