package io.sluice.broker.scalable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.TestBroker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.scalable.ScalableTopics.Environment;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.ChangeOwners;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicPath;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.testing.ExpectedLog;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Splits that something comes in the way of. */
@ExpectedLog({"The metadata store did not answer", "cannot be looked at"})
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

    private void subscribe(ScalableTopic topic, ScalableSegment segment, String prefix, int count) throws Exception {
        PartitionLog log = broker.partition(topic.segmentName(segment), 0);
        broker.onLoop(log, () -> {
            for (int n = 0; n < count; n++) {
                log.createIfMissing().subscriptions().create(prefix + n, 0, Map.of(), Durable.IGNORED);
            }
            return true;
        });
    }

    private Set<String> subscriptions(ScalableTopic topic, ScalableSegment segment) throws Exception {
        PartitionLog log = broker.partition(topic.segmentName(segment), 0);
        return broker.onLoop(
                log, () -> log.subscriptions().all().stream().map(Cursor::name).collect(Collectors.toSet()));
    }

    @Test
    void aMergeThatWouldLoseSubscriptionsIsRefusedBeforeAnythingIsSealed() throws Exception {
        ScalableTopic topic = broker.scalableTopics().create(NAME, 3, Map.of()).get(SOON, TimeUnit.SECONDS);
        List<ScalableSegment> all = topic.graph().active();
        subscribe(topic, all.get(0), "a", Subscriptions.MAX);
        subscribe(topic, all.get(1), "a", Subscriptions.MAX - 1);
        subscribe(topic, all.get(1), "b", 1);
        subscribe(topic, all.get(2), "a", Subscriptions.MAX - 1);
        CompletableFuture<ScalableTopic> refused =
                broker.scalableTopics().merge(NAME, all.get(0).id(), all.get(1).id());
        assertThatThrownBy(() -> refused.get(SOON, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        TopicException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_SEGMENT))
                .hasMessageContaining("at most 2000 subscriptions")
                .hasMessageContaining("2001 together");
        assertThat(Objects.requireNonNull(broker.scalableTopics().find(NAME)).graph())
                .isEqualTo(topic.graph());
        for (ScalableSegment segment : all) {
            PartitionLog log = broker.partition(topic.segmentName(segment), 0);
            assertThat(broker.<Boolean>onLoop(log, log::isTerminated))
                    .as("segment %s is sealed", segment.id())
                    .isFalse();
        }

        ScalableTopic merged = broker.scalableTopics()
                .merge(NAME, all.get(2).id(), all.get(1).id())
                .get(SOON, TimeUnit.SECONDS);
        ScalableSegment child = merged.graph().active().getLast();
        assertThat(subscriptions(merged, child)).hasSize(Subscriptions.MAX).contains("b0");
        ScalableTopic split = broker.scalableTopics().split(NAME, child.id()).get(SOON, TimeUnit.SECONDS);
        assertThat(split.graph().active())
                .filteredOn(segment -> segment.parents().contains(child.id()))
                .hasSize(2)
                .allSatisfy(
                        segment -> assertThat(subscriptions(split, segment)).isEqualTo(subscriptions(merged, child)));
    }

    @Test
    void aSplitThatStoppedHalfwayIsFinishedWithoutAnotherChange() throws Exception {
        ScalableTopic topic = broker.scalableTopics().create(NAME, 1, Map.of()).get(SOON, TimeUnit.SECONDS);
        ScalableGraph next = topic.graph().split(only(topic).id(), 1);
        new ScalableSegmentTopics(new CatalogueScalableSegments(broker.catalogue(), broker.partitions()))
                .terminate(topic.place(only(topic)));
        broker.metadata()
                .put(
                        TopicPath.of(ScalableRecords.ROOT, NAME),
                        new ScalableTopicRecord(topic, State.CHANGING, next).encode(),
                        Objects.requireNonNull(broker.metadata().get(TopicPath.of(ScalableRecords.ROOT, NAME)))
                                .version());
        ScalableTopics topics = ScalableTopics.load(
                broker.metadata(),
                new Environment(
                        broker.catalogue(),
                        broker.partitions(),
                        System::currentTimeMillis,
                        task -> Thread.ofVirtual().start(task)));
        assertThat(Objects.requireNonNull(topics.find(NAME)).graph().active()).hasSize(1);
        topics.finishLeft().join();
        assertThat(Objects.requireNonNull(topics.find(NAME)).graph().active()).hasSize(2);
    }

    /** What it has written last fails, or happens and is not answered: the record that is shown is the one before. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSplitWhoseLastWriteFailsIsFinishedWithoutAStart(boolean happens) throws Exception {
        ScalableTopics topics = broker.scalableTopics();
        ScalableTopic topic = topics.create(NAME, 1, Map.of()).get(SOON, TimeUnit.SECONDS);
        CompletableFuture<ScalableTopic> told = new CompletableFuture<>();
        topics.onChange((name, now) -> told.complete(now));
        int writes = 1 + 2 * 2; // of the split, and two of each child
        if (happens) {
            broker.metadata().loseAnswerOf(writes + 1);
        } else {
            broker.metadata().crashAfter(writes);
        }
        assertThatThrownBy(() -> topics.split(NAME, only(topic).id()).get(SOON, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        TopicException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
        assertThat(topics.interruptedChanges()).isEqualTo(1);
        broker.metadata().crashAfter(Integer.MAX_VALUE);
        topics.finishLeft().join();
        assertThat(Objects.requireNonNull(topics.find(NAME)).graph().active()).hasSize(2);
        assertThat(told.get(SOON, TimeUnit.SECONDS).graph().active()).hasSize(2);
        assertThat(topics.interruptedChanges()).isZero();
    }

    @Test
    void aTopicThatCannotBeLookedAtIsNotInTheWayOfOthers() throws Exception {
        Set<TopicName> looked = new HashSet<>();
        AtomicLong now = new AtomicLong(1_000_000);
        ScalableSegmentTopics segments =
                new ScalableSegmentTopics(new CatalogueScalableSegments(broker.catalogue(), broker.partitions())) {
                    @Override
                    boolean isSpent(Parsed segment) {
                        if (looked.add(segment.topic()) && looked.size() == 1) {
                            throw new IllegalStateException("planted");
                        }
                        return true;
                    }
                };
        ScalableTopics topics = ScalableTopics.load(
                broker.metadata(),
                segments,
                now::get,
                task -> Thread.ofVirtual().start(task),
                ChangeOwners.ALONE);
        List<TopicName> names = List.of(NAME, TopicName.ofDefault("t"));
        for (TopicName name : names) {
            topics.create(name, 1, Map.of()).get(SOON, TimeUnit.SECONDS);
            topics.split(name, 0).get(SOON, TimeUnit.SECONDS);
        }
        now.addAndGet(SpentSegments.SEALED_MIN_VISIBLE.toMillis());
        topics.removeSpent();
        assertThat(looked).hasSize(2);
        assertThat(names.stream().filter(name -> graphSize(topics, name) == 2)).hasSize(1);
    }

    private static int graphSize(ScalableTopics topics, TopicName name) {
        return Objects.requireNonNull(topics.find(name)).graph().all().size();
    }
}
