package io.sluice.pulsar.scalable;

import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.topic.TopicName;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One registration of a stream consumer, as long as its connection lasts. Any thread. */
public final class StreamMember implements AutoCloseable {
    private final TopicName topic;
    private final String subscription;
    private final String name;
    private final Runnable tell;
    private final Consumer<StreamMember> leave;
    private volatile @Nullable Assignment assignment;
    private volatile boolean moved;

    /** @param epoch of the graph */
    public record Assignment(long epoch, List<ScalableSegment> segments) {
        public Assignment {
            segments = List.copyOf(segments);
        }
    }

    /**
     * @param tell is run on any thread whenever there is another assignment, or another controller
     * @param leave told when the connection is gone
     */
    StreamMember(TopicName topic, String subscription, String name, Runnable tell, Consumer<StreamMember> leave) {
        this.leave = leave;
        this.topic = topic;
        this.subscription = subscription;
        this.name = name;
        this.tell = tell;
    }

    /** Scalable topic that it reads. */
    public TopicName topic() {
        return topic;
    }

    public String subscription() {
        return subscription;
    }

    String name() {
        return name;
    }

    /** Null before the first. */
    public @Nullable Assignment assignment() {
        return assignment;
    }

    /** Whether another node is the topic's controller now: the client has to register there. */
    public boolean hasMoved() {
        return moved;
    }

    void move() {
        moved = true;
        tell.run();
    }

    void assign(Assignment next) {
        assignment = next;
        tell.run();
    }

    /** The connection is gone. Others get what it had after the grace, unless a consumer of its name is there before. */
    @Override
    public void close() {
        leave.accept(this);
    }
}
