package io.sluice.broker.scalable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.TestBroker;
import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.scalable.ScalableTopics.Surroundings;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicPath;
import io.sluice.store.segment.InMemoryContainer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Splits that something comes in the way of. */
@Timeout(90)
class ScalableTopicsTest {
    private static final TopicName NAME = TopicName.ofDefault("s");
    private static final int SOON = 30;

    private final TestBroker broker = TestBroker.start();

    @AfterEach
    void stop() {
        broker.close();
    }

    private static ScalableSegment only(ScalableTopic topic) {
        return topic.graph().active().getFirst();
    }

    private int containerOf(TopicName segment) {
        return Objects.requireNonNull(broker.catalogue().find(segment))
                .partitions()
                .getFirst()
                .container();
    }

    @Test
    void aSplitWaitsForASegmentThatIsOnItsWayToAnotherContainer() throws Exception {
        ScalableTopic topic = broker.scalableTopics().create(NAME, 1, Map.of()).get(SOON, TimeUnit.SECONDS);
        TopicName segment = topic.segmentName(only(topic));
        int to = 1 - containerOf(segment);
        InMemoryContainer there = broker.containers().get(to);
        there.hold();
        CompletableFuture<?> move = broker.catalogue().move(segment, 0, to);
        assertThatThrownBy(() -> move.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        CompletableFuture<ScalableTopic> split =
                broker.scalableTopics().split(NAME, only(topic).id());
        assertThatThrownBy(() -> split.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        there.release();
        move.get(SOON, TimeUnit.SECONDS);
        assertThat(split.get(SOON, TimeUnit.SECONDS).graph().active()).hasSize(2);
    }

    @Test
    void aSplitThatStoppedHalfwayIsFinishedWithoutAnotherChange() throws Exception {
        ScalableTopic topic = broker.scalableTopics().create(NAME, 1, Map.of()).get(SOON, TimeUnit.SECONDS);
        SegmentGraph next = topic.graph().split(only(topic).id(), 1);
        new SegmentTopics(new CatalogueSegments(broker.catalogue(), broker.partitions()))
                .terminate(topic.segmentName(only(topic)));
        broker.metadata()
                .put(
                        TopicPath.of(ScalableTopics.ROOT, NAME),
                        new ScalableTopicRecord(topic, State.CHANGING, next).encode(),
                        Objects.requireNonNull(broker.metadata().get(TopicPath.of(ScalableTopics.ROOT, NAME)))
                                .version());
        ScalableTopics topics = ScalableTopics.load(
                broker.metadata(),
                new Surroundings(
                        broker.catalogue(),
                        broker.partitions(),
                        System::currentTimeMillis,
                        task -> Thread.ofVirtual().start(task)));
        assertThat(Objects.requireNonNull(topics.find(NAME)).graph().active()).hasSize(1);
        topics.finishLeft();
        assertThat(Objects.requireNonNull(topics.find(NAME)).graph().active()).hasSize(2);
    }
}
