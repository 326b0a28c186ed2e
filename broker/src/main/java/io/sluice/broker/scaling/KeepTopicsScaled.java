package io.sluice.broker.scaling;

import io.sluice.broker.balance.LoadSample;
import io.sluice.broker.balance.LoadSample.PartitionLoad;
import io.sluice.broker.balance.Rate;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.scaling.ScaledTopic.Key;
import io.sluice.broker.scaling.ScaledTopic.Place;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicDurability;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Containers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Splits and merges the ranges of scalable topics and of elastic ones, as their load asks for. Blocking; safe to cut off anywhere, for a
 * change under way is finished or undone by its maker. One thread at a time, but for {@link #view}.
 */
public final class KeepTopicsScaled {
    private static final Logger LOG = LoggerFactory.getLogger(KeepTopicsScaled.class);
    private static final int STEPS_SHOWN = 200;

    /** Steps of all topics in one round. */
    private static final int STEPS_PER_ROUND = 32;

    private final Context context;
    private final ScaleTargets ofServer;
    private final ScalePolicy policy = new ScalePolicy();
    private final Map<Key, ScaleHistory> histories = new HashMap<>();
    private final Map<Key, RangesOverTime> lives = new HashMap<>();
    private final Deque<Done> late = new ArrayDeque<>();
    private volatile View view = new View(Map.of(), Map.of(), List.of());

    /**
     * Topics with ranges, and the containers for them.
     *
     * @param clock milliseconds, which only rise
     */
    public record Context(
            TopicCatalogue catalogue,
            ScalableTopics scalable,
            TopicDurability durability,
            Containers containers,
            LongSupplier clock) {}

    /** @param ofServer targets of topics that do not say theirs */
    public KeepTopicsScaled(Context context, ScaleTargets ofServer) {
        this.context = context;
        this.ofServer = ofServer;
    }

    /**
     * @param scalable whether the topic is Pulsar 5's
     * @param split or else merged
     * @param what was to be done, in words
     * @param done whether it was, as far as is known
     * @param refused whether it cannot be done as things are; then {@code reason} says why, too
     * @param at by the clock
     */
    public record Done(
            TopicName topic,
            boolean scalable,
            boolean split,
            String what,
            String reason,
            boolean done,
            boolean refused,
            long at) {}

    /** A range when it was last looked at. */
    public record Range(IndexRange span, int container, Flow flow) {}

    private record View(Map<Key, List<Range>> ranges, Map<Key, List<RangeLife>> lives, List<Done> steps) {}

    /** The topic's ranges in the last round; none of a topic in which nothing was under way. Any thread. */
    public List<Range> ranges(TopicName topic, boolean scalable) {
        return view.ranges().getOrDefault(new Key(topic, scalable), List.of());
    }

    /** The topic's ranges since this began, but for the oldest that are gone. Any thread. */
    public List<RangeLife> lives(TopicName topic, boolean scalable) {
        return view.lives().getOrDefault(new Key(topic, scalable), List.of());
    }

    /** The last 200 splits and merges, newest first. Any thread. */
    public List<Done> steps() {
        return view.steps();
    }

    /** By the clock. Any thread. */
    public long now() {
        return context.clock().getAsLong();
    }

    /** Since a time by the clock. Any thread. */
    public long secondsSince(long at) {
        return (context.clock().getAsLong() - at) / 1_000;
    }

    /** Targets of topics that do not say theirs. */
    public ScaleTargets ofServer() {
        return ofServer;
    }

    /**
     * Gives the splits and merges it made or tried.
     *
     * @param sample of now: nothing has moved since
     */
    public List<Done> round(LoadSample sample) throws InterruptedException {
        var loads = new ContainerLoads(sample);
        List<ScaledTopic> topics = topics(sample, loads);
        Map<Key, ScaleHistory> after = new HashMap<>();
        Map<Key, List<Range>> ranges = new HashMap<>();
        List<Done> all = new ArrayList<>();
        var round = new Round(all, after, ranges);
        for (ScaledTopic topic : topics) {
            try {
                scale(topic, loads, round);
            } catch (RuntimeException e) {
                LOG.error("Topic {} stays as it is in this round", topic.key().topic(), e);
            }
        }
        histories.putAll(after);
        histories.keySet().removeIf(key -> !exists(key));
        lives.keySet().retainAll(histories.keySet());
        Map<Key, List<RangeLife>> lived = new HashMap<>();
        lives.forEach((key, life) -> lived.put(key, life.all()));
        view = new View(Map.copyOf(ranges), Map.copyOf(lived), List.copyOf(late));
        return all;
    }

    /** Steps a round has made, and figures it has seen, so far. */
    private record Round(List<Done> done, Map<Key, ScaleHistory> histories, Map<Key, List<Range>> ranges) {}

    private void scale(ScaledTopic topic, ContainerLoads loads, Round round) throws InterruptedException {
        List<RangeLoad> now = topic.places().stream().map(Place::load).toList();
        ScaleHistory before = histories.getOrDefault(topic.key(), ScaleHistory.NONE);
        ScalePolicy.Decision decision = round.done().size() < STEPS_PER_ROUND
                ? policy.decide(now, topic.targets(), before, context.clock().getAsLong())
                : new ScalePolicy.Decision(List.of(), before);
        ScaleHistory history = decision.history();
        List<Range> seen = topic.places().stream()
                .map(p -> new Range(p.load().span(), p.container(), p.load().flow()))
                .toList();
        round.ranges().put(topic.key(), seen);
        lives.computeIfAbsent(topic.key(), first -> new RangesOverTime())
                .seen(seen, context.clock().getAsLong());
        for (ScaleStep step : decision.steps()) {
            Done done = attempt(topic, step, loads);
            if (done != null) {
                round.done().add(done);
                remember(done);
                if (done.refused()) {
                    history = history.withRefused(step, context.clock().getAsLong());
                }
            }
        }
        round.histories().put(topic.key(), history);
    }

    private boolean exists(Key key) {
        return key.scalable()
                ? context.scalable().find(key.topic()) != null
                : context.catalogue().find(key.topic()) != null;
    }

    private void remember(Done done) {
        late.addFirst(done);
        if (late.size() > STEPS_SHOWN) {
            late.removeLast();
        }
    }

    private List<ScaledTopic> topics(LoadSample sample, ContainerLoads loads) {
        Map<TopicName, List<PartitionLoad>> byTopic = new HashMap<>();
        sample.partitions()
                .forEach(p -> byTopic.computeIfAbsent(p.topic(), none -> new ArrayList<>())
                        .add(p));
        List<ScaledTopic> topics = new ArrayList<>();
        for (ScalableTopic topic : context.scalable().all()) {
            ScalableSegmentRanges ranges = ScalableSegmentRanges.of(
                    context.scalable(),
                    topic,
                    targets(topic),
                    segment -> segment(byTopic, topic.place(segment).topic()));
            if (ranges != null) {
                topics.add(ranges);
            }
        }
        for (Topic topic : context.catalogue().all()) {
            if (topic.isElastic() && !topic.internal()) {
                PartitionRuns runs = runs(topic, byTopic.getOrDefault(topic.name(), List.of()), loads);
                if (runs != null) {
                    topics.add(runs);
                }
            }
        }
        return topics;
    }

    private static ScalableSegmentRanges.@Nullable Measured segment(
            Map<TopicName, List<PartitionLoad>> all, TopicName name) {
        List<PartitionLoad> found = all.get(name);
        return found == null
                ? null
                : new ScalableSegmentRanges.Measured(
                        found.getFirst().container(), found.getFirst().rate());
    }

    /** Null if it was never written to, or its partitions are not all in containers where they belong and which are served here. */
    private @Nullable PartitionRuns runs(Topic topic, List<PartitionLoad> measured, ContainerLoads loads) {
        if (measured.isEmpty() || !context.durability().astray(topic).isEmpty()) {
            return null;
        }
        Map<Long, Rate> byId = new HashMap<>();
        measured.forEach(partition -> byId.put(partition.id(), partition.rate()));
        List<Rate> rates = new ArrayList<>();
        for (Placement placement : topic.partitions()) {
            if (!loads.isServed(placement.container())) {
                return null;
            }
            rates.add(byId.getOrDefault(placement.partitionId(), Rate.NONE));
        }
        List<Integer> level = context.containers().staying(context.durability().levelHere(topic));
        return new PartitionRuns(context.catalogue(), topic, targets(topic), level, rates);
    }

    private ScaleTargets targets(Topic topic) {
        return ofServer.with(
                topic.scalingLimit(Topic.SCALING_BYTES, finite(ofServer.split().bytesIn())),
                topic.scalingLimit(Topic.SCALING_EVENTS, finite(ofServer.split().eventsIn())));
    }

    private static double finite(double limit) {
        return Double.isInfinite(limit) ? 0 : limit;
    }

    /** Targets of the topic. They were checked when set; targets that no longer fit the server's settings keep the topic as it is. */
    private ScaleTargets targets(ScalableTopic topic) {
        try {
            return ScaleOverrides.apply(ofServer, topic.scaling());
        } catch (IllegalArgumentException e) {
            return ScaleTargets.of(0, 0);
        }
    }

    private @Nullable Done attempt(ScaledTopic topic, ScaleStep step, ContainerLoads loads)
            throws InterruptedException {
        Key key = topic.key();
        boolean split = step instanceof ScaleStep.Split;
        try {
            String what = topic.scale(step, loads);
            if (what == null) {
                LOG.debug("Topic {}: no container for {}: {}", key.topic(), step.span(), step.reason());
                return null;
            }
            LOG.info("Topic {} {}: {}", key.topic(), what, step.reason());
            return new Done(
                    key.topic(),
                    key.scalable(),
                    split,
                    what,
                    step.reason(),
                    true,
                    false,
                    context.clock().getAsLong());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicException why && why.reason() == TopicException.Reason.INVALID_SEGMENT) {
                LOG.info("Topic {}: leaves {} as they are: {}", key.topic(), step.span(), why.getMessage());
                return notDone(key, step, step.reason() + "; but " + why.getMessage(), true);
            }
            LOG.warn("Topic {}: could not scale {}: {}", key.topic(), step, String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            LOG.warn("Topic {}: did not hear in time whether {} was done", key.topic(), step);
        }
        return notDone(key, step, step.reason(), false);
    }

    private Done notDone(Key key, ScaleStep step, String reason, boolean refused) {
        boolean split = step instanceof ScaleStep.Split;
        return new Done(
                key.topic(),
                key.scalable(),
                split,
                (split ? "splits " : "merges ") + step.span(),
                reason,
                false,
                refused,
                context.clock().getAsLong());
    }
}
