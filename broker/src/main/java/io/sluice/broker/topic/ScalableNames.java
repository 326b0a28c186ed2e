package io.sluice.broker.topic;

import java.io.IOException;

/**
 * Names of scalable topics. The catalogue makes no topic of such a name for a client that just uses it: who has not heard that the topic
 * is scalable would write where no reader looks. It may be made on purpose, unless it is what became scalable.
 */
public interface ScalableNames {
    /** There are no scalable topics. */
    ScalableNames NONE = new ScalableNames() {};

    default boolean has(TopicName name) {
        return false;
    }

    /** Whether it is the name of a classic topic that has become scalable, or is about to: it gets no more partitions. */
    default boolean wasClassic(TopicName name) {
        return false;
    }

    /** As {@link #wasClassic}, as it is stored now: another node may have begun it. Blocks. */
    default boolean wasClassicByNow(TopicName name) throws IOException {
        return wasClassic(name);
    }
}
