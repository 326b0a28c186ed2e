package io.sluice.broker.scaling;

import io.sluice.broker.topic.TopicName;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A topic with ranges, at one time: of scalable segments, or of partitions that lie together. */
interface ScaledTopic {
    /** Longer than the steps of a change wait for a container. */
    long STEP_SECONDS = 60;

    /**
     * @param scalable whether it is Pulsar 5's; there may be a classic topic of the same name
     */
    record Key(TopicName topic, boolean scalable) {}

    Key key();

    ScaleTargets targets();

    /** In order; {@code container} is where the range lies. */
    List<Place> places();

    /** A range and its container. */
    record Place(RangeLoad load, int container) {}

    /** Carries the step out; blocks. Returns what it did in words; null if there is nowhere to go now. */
    @Nullable
    String scale(ScaleStep step, ContainerLoads loads)
            throws InterruptedException, ExecutionException, TimeoutException;
}
