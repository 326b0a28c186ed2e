package io.sluice.broker.scaling;

import io.sluice.broker.balance.Rate;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Neighbouring partitions of an elastic topic that lie in one container. A run splits when a part of it goes to a container that has
 * less to do, and two merge when the one with less to do comes to where the other is.
 */
final class PartitionRuns implements ScaledTopic {
    private final TopicCatalogue catalogue;
    private final Topic topic;
    private final ScaleTargets targets;
    private final List<Integer> level;
    private final List<Rate> rates;
    private final List<Place> places = new ArrayList<>();

    /**
     * @param level containers in which the topic may lie
     * @param rates by partition
     */
    PartitionRuns(TopicCatalogue catalogue, Topic topic, ScaleTargets targets, List<Integer> level, List<Rate> rates) {
        this.catalogue = catalogue;
        this.topic = topic;
        this.level = List.copyOf(level);
        this.rates = List.copyOf(rates);
        this.targets = targets.atMost(level.size());
        for (int first = 0; first < rates.size(); ) {
            int end = first;
            while (end + 1 < rates.size() && container(end + 1) == container(first)) {
                end++;
            }
            List<Flow> parts = rates.subList(first, end + 1).stream()
                    .map(ScalableSegmentRanges::flow)
                    .toList();
            places.add(new Place(RangeLoad.of(new IndexRange(first, end), parts), container(first)));
            first = end + 1;
        }
    }

    private int container(int partition) {
        return topic.partitions().get(partition).container();
    }

    @Override
    public Key key() {
        return new Key(topic.name(), false);
    }

    @Override
    public ScaleTargets targets() {
        return targets;
    }

    @Override
    public List<Place> places() {
        return places;
    }

    @Override
    public @Nullable String scale(ScaleStep step, ContainerLoads loads)
            throws InterruptedException, ExecutionException, TimeoutException {
        return switch (step) {
            case ScaleStep.Split split -> split(split, loads);
            case ScaleStep.Merge merge -> merge(merge, loads);
        };
    }

    private @Nullable String split(ScaleStep.Split split, ContainerLoads loads)
            throws InterruptedException, ExecutionException, TimeoutException {
        int from = container(split.span().start());
        Integer to = loads.coolest(candidates(split.span(), from)).orElse(null);
        IndexRange lower = new IndexRange(split.span().start(), split.at() - 1);
        IndexRange upper = new IndexRange(split.at(), split.span().end());
        IndexRange going = load(lower) < load(upper) ? lower : upper;
        if (to == null || loads.load(to) + load(going) >= loads.load(from)) {
            return null; // it would only become what this one is
        }
        return "splits partitions " + split.span() + ": " + move(going, from, to, loads);
    }

    /** Not those beside the run, to which it would only shift; those that have none of the topic before those that do. */
    private Set<Integer> candidates(IndexRange run, int from) {
        Set<Integer> all = new HashSet<>(level);
        all.remove(from);
        if (run.start() > 0) {
            all.remove(container(run.start() - 1));
        }
        if (run.end() + 1 < rates.size()) {
            all.remove(container(run.end() + 1));
        }
        Set<Integer> without = new HashSet<>(all);
        places.forEach(place -> without.remove(place.container()));
        return without.isEmpty() ? all : without;
    }

    private @Nullable String merge(ScaleStep.Merge merge, ContainerLoads loads)
            throws InterruptedException, ExecutionException, TimeoutException {
        boolean lowerGoes = load(merge.lower()) < load(merge.upper());
        IndexRange first = lowerGoes ? merge.lower() : merge.upper();
        IndexRange second = lowerGoes ? merge.upper() : merge.lower();
        for (List<IndexRange> way : List.of(List.of(first, second), List.of(second, first))) {
            IndexRange going = way.getFirst();
            int from = container(going.start());
            int to = container(way.getLast().start());
            if (loads.hasRoom(to, load(going), level)) {
                return "merges partitions " + merge.span() + ": " + move(going, from, to, loads);
            }
        }
        return null;
    }

    private double load(IndexRange span) {
        return IntStream.rangeClosed(span.start(), span.end())
                .mapToDouble(partition -> rates.get(partition).load())
                .sum();
    }

    private String move(IndexRange going, int from, int to, ContainerLoads loads)
            throws InterruptedException, ExecutionException, TimeoutException {
        for (int partition = going.start(); partition <= going.end(); partition++) {
            catalogue.move(topic.name(), partition, to).get(STEP_SECONDS, TimeUnit.SECONDS);
            loads.move(rates.get(partition).load(), from, to);
        }
        return going + " go from container " + from + " to " + to;
    }
}
