package io.sluice.broker.balance;

import io.sluice.broker.balance.LoadSample.PartitionLoad;
import io.sluice.broker.balance.LoadSample.Served;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionLog.Traffic;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the partitions served here again and again and knows what each does in a second, over about the last ten seconds.
 * A partition's figure goes with it when it moves. One thread at a time; blocking.
 */
public final class MeasureLoad implements LoadSource {
    /** Partitions looked at in one turn of a loop, so that appends do not wait for it. */
    private static final int PARTITIONS_PER_TURN = 64;

    private static final long TURN_SECONDS = 5;
    /** How long a partition that is not found, as while its container recovers, is remembered. */
    private static final long REMEMBERED_MILLIS = 30_000;

    private static final double SMOOTHED_OVER_MILLIS = 10_000;

    private final TopicCatalogue catalogue;
    private final Partitions partitions;
    private final Containers containers;
    private final IntFunction<Strain> strains;
    private final LongSupplier clock;
    private Map<Long, Seen> seen = new HashMap<>();
    private Map<Integer, Term> terms = new HashMap<>();

    /**
     * @param strains by container
     * @param clock milliseconds, which only rise
     */
    public MeasureLoad(
            TopicCatalogue catalogue,
            Partitions partitions,
            Containers containers,
            IntFunction<Strain> strains,
            LongSupplier clock) {
        this.catalogue = catalogue;
        this.partitions = partitions;
        this.containers = containers;
        this.strains = strains;
        this.clock = clock;
    }

    private record Place(Topic topic, int partition, PartitionLog log) {}

    /** A partition when it was last looked at. */
    private record Seen(PartitionLog log, Traffic traffic, long at, Rate rate) {
        Seen next(PartitionLog now, Traffic figures, long time) {
            // One that was opened anew counts from 0: until it is seen again it does what it did.
            double seconds = (time - at) / 1e3;
            if (now != log || seconds <= 0) {
                return new Seen(now, figures, time, rate);
            }
            Rate lately = new Rate(
                    (figures.appendedBytes() - traffic.appendedBytes()) / seconds,
                    (figures.appends() - traffic.appends()) / seconds,
                    (figures.appendedEvents() - traffic.appendedEvents()) / seconds,
                    (figures.readBytes() - traffic.readBytes()) / seconds,
                    (figures.reads() - traffic.reads()) / seconds,
                    (figures.readEvents() - traffic.readEvents()) / seconds);
            double share = -Math.expm1(-(time - at) / SMOOTHED_OVER_MILLIS);
            return new Seen(now, figures, time, rate.toward(lately, share));
        }
    }

    /** @param since when it was first seen to serve */
    private record Term(SegmentContainer container, long since) {}

    @Override
    public LoadSample sample() throws InterruptedException {
        long begin = clock.getAsLong();
        Map<Integer, Term> serving = serving(begin);
        Map<Integer, List<Place>> places = places(serving);
        Map<Long, Seen> looked = new HashMap<>(seen);
        looked.values().removeIf(partition -> partition.at() < begin - REMEMBERED_MILLIS);
        List<PartitionLoad> loads = new ArrayList<>();
        List<Served> served = new ArrayList<>();
        for (Map.Entry<Integer, Term> entry : serving.entrySet()) {
            int id = entry.getKey();
            List<PartitionLoad> there = look(id, places.getOrDefault(id, List.of()), looked);
            if (there != null) {
                loads.addAll(there);
                served.add(new Served(id, entry.getValue().since(), strains.apply(id)));
            }
        }
        seen = looked;
        terms = serving;
        return LoadSample.of(loads, served);
    }

    private Map<Integer, Term> serving(long now) {
        Map<Integer, Term> all = new HashMap<>();
        for (int id : containers.staying()) {
            SegmentContainer container = containers.serving(id);
            if (container != null) {
                Term before = terms.get(id);
                boolean goesOn = before != null && before.container() == container;
                all.put(id, goesOn ? before : new Term(container, now));
            }
        }
        return all;
    }

    private Map<Integer, List<Place>> places(Map<Integer, Term> serving) {
        Map<Integer, List<Place>> places = new HashMap<>();
        for (Topic topic : catalogue.all()) {
            int partition = 0;
            for (Placement placement : topic.partitions()) {
                PartitionLog log = serving.containsKey(placement.container()) ? partitions.find(placement) : null;
                if (log != null) {
                    places.computeIfAbsent(placement.container(), none -> new ArrayList<>())
                            .add(new Place(topic, partition, log));
                }
                partition++;
            }
        }
        return places;
    }

    /** Null if the loop does not answer. */
    private @Nullable List<PartitionLoad> look(int container, List<Place> places, Map<Long, Seen> looked)
            throws InterruptedException {
        List<PartitionLoad> loads = new ArrayList<>();
        for (int from = 0; from < places.size(); from += PARTITIONS_PER_TURN) {
            List<Place> turn = places.subList(from, Math.min(places.size(), from + PARTITIONS_PER_TURN));
            List<Traffic> figures = ask(turn);
            if (figures == null) {
                return null;
            }
            long now = clock.getAsLong();
            for (int i = 0; i < turn.size(); i++) {
                Place place = turn.get(i);
                long id = place.log().partitionId();
                Rate rate = see(id, place.log(), figures.get(i), now, looked);
                loads.add(new PartitionLoad(
                        place.topic().name(),
                        place.partition(),
                        id,
                        container,
                        place.topic().internal() || isAmidARun(place.topic(), place.partition()),
                        rate));
            }
        }
        return loads;
    }

    /** Neighbours of an elastic topic that lie together stay together, but for the first and the last of them. */
    private static boolean isAmidARun(Topic topic, int partition) {
        if (!topic.isElastic()
                || partition == 0
                || partition == topic.partitions().size() - 1) {
            return false;
        }
        int container = topic.partitions().get(partition).container();
        return topic.partitions().get(partition - 1).container() == container
                && topic.partitions().get(partition + 1).container() == container;
    }

    private Rate see(long id, PartitionLog log, Traffic figures, long now, Map<Long, Seen> looked) {
        Seen before = seen.get(id);
        Seen after = before == null ? new Seen(log, figures, now, Rate.NONE) : before.next(log, figures, now);
        looked.put(id, after);
        return after.rate();
    }

    private static @Nullable List<Traffic> ask(List<Place> turn) throws InterruptedException {
        Answer<List<Traffic>> answer = turn.getFirst()
                .log()
                .container()
                .ask(() -> turn.stream().map(place -> place.log().traffic()).toList());
        try {
            return answer.get(TURN_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (StoreException.failureIn(e) != null) {
                return null;
            }
            throw new IllegalStateException("a partition's figures cannot be read", e);
        } catch (TimeoutException e) {
            return null;
        }
    }
}
