package io.sluice.broker.scalable;

import io.sluice.broker.topic.TopicName;
import org.jspecify.annotations.Nullable;

/** Listener of every change of a scalable topic. */
public interface ScalableTopicListener {
    /**
     * Called on the thread that made the change.
     *
     * @param now null for a topic that is gone
     */
    void changed(TopicName name, @Nullable ScalableTopic now);
}
