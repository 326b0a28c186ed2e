package io.sluice.broker.scaling;

import io.sluice.broker.balance.Rate;
import io.sluice.broker.scalable.KeyHashRange;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scalable.ScalableTopics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The active scalable segments of a scalable topic. */
final class ScalableSegmentRanges implements ScaledTopic {
    private final ScalableTopics topics;
    private final ScalableTopic topic;
    private final ScaleTargets targets;
    private final List<Place> places;
    private final Map<IndexRange, Long> ids = new HashMap<>();

    /** Measured load of a scalable segment's partition. */
    record Measured(int container, Rate rate) {}

    private ScalableSegmentRanges(
            ScalableTopics topics, ScalableTopic topic, ScaleTargets targets, List<Place> places) {
        this.topics = topics;
        this.topic = topic;
        this.targets = targets;
        this.places = places;
        topic.graph().active().forEach(segment -> ids.put(span(segment.range()), segment.id()));
    }

    /**
     * @param measured null for what is not served here
     * @return null if not all of its active scalable segments are
     */
    static @Nullable ScalableSegmentRanges of(
            ScalableTopics topics,
            ScalableTopic topic,
            ScaleTargets targets,
            Function<ScalableSegment, @Nullable Measured> measured) {
        Map<Long, Integer> depths = new HashMap<>();
        for (ScalableSegment segment : topic.graph().all()) { // parents come before their children
            int before = segment.parents().stream()
                    .mapToInt(parent -> depths.getOrDefault(parent, 0))
                    .max()
                    .orElse(0);
            depths.put(segment.id(), before + (segment.parents().size() > 1 ? 1 : 0));
        }
        List<Place> places = new ArrayList<>();
        for (ScalableSegment segment : topic.graph().active()) {
            Measured found = measured.apply(segment);
            if (found == null) {
                return null;
            }
            places.add(new Place(
                    new RangeLoad(
                            span(segment.range()), flow(found.rate()), List.of(), depths.getOrDefault(segment.id(), 0)),
                    found.container()));
        }
        return new ScalableSegmentRanges(topics, topic, targets, places);
    }

    private static IndexRange span(KeyHashRange range) {
        return new IndexRange(range.start(), range.end());
    }

    static Flow flow(Rate rate) {
        return new Flow(rate.bytesIn(), rate.eventsIn(), rate.bytesOut(), rate.eventsOut());
    }

    @Override
    public Key key() {
        return new Key(topic.name(), true);
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
    public String scale(ScaleStep step, ContainerLoads loads)
            throws InterruptedException, ExecutionException, TimeoutException {
        return switch (step) {
            case ScaleStep.Split split -> {
                topics.split(topic.name(), id(split.span())).get(STEP_SECONDS, TimeUnit.SECONDS);
                yield "splits segment " + descriptor(split.span());
            }
            case ScaleStep.Merge merge -> {
                topics.merge(topic.name(), id(merge.lower()), id(merge.upper())).get(STEP_SECONDS, TimeUnit.SECONDS);
                yield "merges segments " + descriptor(merge.lower()) + " and " + descriptor(merge.upper());
            }
        };
    }

    private long id(IndexRange span) {
        Long id = ids.get(span);
        if (id == null) {
            throw new IllegalArgumentException("there is no segment of " + span);
        }
        return id;
    }

    private String descriptor(IndexRange span) {
        return new KeyHashRange(span.start(), span.end()) + "-" + id(span);
    }
}
