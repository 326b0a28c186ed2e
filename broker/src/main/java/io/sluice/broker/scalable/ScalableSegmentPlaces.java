package io.sluice.broker.scalable;

import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionStep;
import java.io.IOException;

/** Where scalable segments are: topics that stand for them, and partitions of a classic topic. Blocks; everything may be repeated. */
interface ScalableSegmentPlaces {
    /** One that is there stays. */
    void make(TopicName segment) throws TopicException;

    /** Fails where what was to be done is not this process's to do any more. */
    interface Check {
        void run() throws IOException;
    }

    /**
     * A scalable segment's topic, or a classic topic with all its partitions. One that is not there is passed over.
     *
     * @param still run before; what has come under the name since is not deleted
     */
    void delete(TopicName topic, Check still) throws TopicException, IOException;

    /** Whether it is there; of a partition of a classic topic that is being added this says so, too. */
    boolean has(Parsed segment) throws TopicException;

    /** @throws TopicException UNAVAILABLE if the scalable segment is not served, or the question was answered with a failure */
    <T> T ask(Parsed segment, PartitionStep<T> step) throws TopicException;
}
