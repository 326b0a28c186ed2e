package io.sluice.broker.scalable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.TestBroker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicPath;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.segment.Durable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Classic topics that become scalable, also with a crash in between. */
@Timeout(90)
class MigrationTest {
    private static final TopicName NAME = TopicName.ofDefault("t");
    private static final String PATH = TopicPath.of(ScalableRecords.ROOT, NAME);

    private final AtomicLong now = new AtomicLong(1_000_000);
    private final TestBroker broker = TestBroker.start(now::get);

    @AfterEach
    void stop() {
        broker.close();
    }

    private static <T> T await(CompletableFuture<T> outcome) throws Exception {
        return outcome.get(30, TimeUnit.SECONDS);
    }

    private Topic classic(int partitions, boolean partitioned) throws Exception {
        return await(broker.catalogue().create(NAME, partitions, partitioned, false, Map.of()));
    }

    private boolean isTerminated(Parsed place) throws Exception {
        PartitionLog log = broker.partition(place.topic(), Math.max(0, place.partition()));
        return broker.<Boolean>onLoop(log, log::isTerminated);
    }

    private ScalableTopic shown() {
        return Objects.requireNonNull(broker.scalableTopics().find(NAME));
    }

    @Test
    void partitionsAreSealedAndAsManySegmentsGoOnBehindAllOfThem() throws Exception {
        classic(3, true);
        PartitionLog last = broker.partition(NAME, 2);
        broker.onLoop(last, () -> {
            last.createIfMissing().subscriptions().create("s", 0, Map.of(), Durable.IGNORED);
            return true;
        });
        ScalableTopic topic = await(broker.scalableTopics().migrate(NAME, 3));
        assertThat(topic).isEqualTo(shown());
        assertThat(topic.graph().segments().keySet()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        for (long id = 0; id < 3; id++) {
            ScalableSegment partition = Objects.requireNonNull(topic.graph().find(id));
            assertThat(topic.place(partition)).isEqualTo(new Parsed(NAME, (int) id));
            assertThat(isTerminated(topic.place(partition))).isTrue();
            assertThat(partition.children()).containsExactly(3L, 4L, 5L);
        }
        for (ScalableSegment active : topic.graph().active()) {
            assertThat(active.parents()).containsExactly(0L, 1L, 2L);
            PartitionLog log = broker.partition(topic.place(active).topic(), 0);
            assertThat(broker.<Boolean>onLoop(log, () -> log.subscriptions().find("s") != null))
                    .isTrue();
        }
        assertThat(topic.graph().readable(id -> id != 1))
                .extracting(ScalableSegment::id)
                .containsExactly(1L);

        broker.restart();
        assertThat(shown()).isEqualTo(topic);
        ScalableTopic split = await(broker.scalableTopics().split(NAME, 3));
        assertThat(split.isClassic(split.graph().active().getFirst())).isFalse();
    }

    @Test
    void aTopicWithoutPartitionsIsOneSegment() throws Exception {
        classic(1, false);
        ScalableTopic topic = await(broker.scalableTopics().migrate(NAME, 0));
        assertThat(topic.place(Objects.requireNonNull(topic.graph().find(0)))).isEqualTo(new Parsed(NAME, -1));
        assertThat(topic.graph().active()).hasSize(1);
    }

    @Test
    void whatStoppedBeforeTheFirstSealIsUndone() throws Exception {
        classic(2, true);
        ScalableTopic interrupted = interruptedWithSealed(0);
        broker.restart();
        assertThat(broker.scalableTopics().find(NAME)).isNull();
        assertThat(broker.metadata().get(PATH)).isNull();
        for (ScalableSegment child : interrupted.graph().migrated(5).active()) {
            assertThat(broker.catalogue().find(interrupted.segmentName(child))).isNull();
        }
        assertThat(isTerminated(new Parsed(NAME, 0))).isFalse();
        assertThat(await(broker.scalableTopics().migrate(NAME, 2)).graph().active())
                .hasSize(2);
    }

    @Test
    void whatStoppedAfterASealIsFinished() throws Exception {
        classic(2, true);
        interruptedWithSealed(1);
        broker.restart();
        assertThat(shown().graph().active()).hasSize(2);
        assertThat(isTerminated(new Parsed(NAME, 1))).isTrue();
    }

    /** The record, one child, and so many of two partitions sealed. */
    private ScalableTopic interruptedWithSealed(int sealed) throws Exception {
        ScalableTopic topic = new ScalableTopic(NAME, 5, Map.of(), Map.of(), 2, ScalableGraph.first(2, 5));
        ScalableGraph next = topic.graph().migrated(5);
        broker.metadata().put(PATH, new ScalableTopicRecord(topic, State.CHANGING, next).encode(), Metadata.ABSENT);
        ScalableSegmentTopics segments =
                new ScalableSegmentTopics(new CatalogueScalableSegments(broker.catalogue(), broker.partitions()));
        segments.make(topic.segmentName(next.active().getFirst()));
        for (int p = 0; p < sealed; p++) {
            segments.terminate(new Parsed(NAME, p));
        }
        return topic;
    }

    @Test
    void partitionsThatAreReadGoWithTheClassicTopic() throws Exception {
        classic(2, true);
        await(broker.scalableTopics().migrate(NAME, 2));
        assertThatThrownBy(() -> await(broker.catalogue().expand(NAME, 3)))
                .cause()
                .isInstanceOfSatisfying(
                        TopicException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_PARTITIONS));
        broker.scalableTopics().removeSpent();
        assertThat(shown().graph().all()).as("it is shown for a minute").hasSize(4);
        now.addAndGet(SpentSegments.SEALED_MIN_VISIBLE.toMillis());
        broker.scalableTopics().removeSpent();
        broker.scalableTopics().finishLeft().join();
        assertThat(shown().graph().all()).hasSize(2);
        assertThat(broker.catalogue().find(NAME)).isNull();
        broker.restart();
        assertThat(shown().graph().all()).hasSize(2);

        assertThatThrownBy(() -> await(broker.catalogue().getOrCreate(NAME, 1, false, false)))
                .as("by a client that has not heard of it")
                .cause()
                .isInstanceOfSatisfying(
                        TopicException.class, e -> assertThat(e.reason()).isEqualTo(Reason.SCALABLE));
        await(broker.scalableTopics().delete(NAME));
        classic(1, false);
    }

    @Test
    void aTopicThatIsDeletedTakesTheClassicOneAlong() throws Exception {
        classic(2, true);
        await(broker.scalableTopics().migrate(NAME, 2));
        await(broker.scalableTopics().delete(NAME));
        assertThat(List.copyOf(broker.catalogue().all()))
                .filteredOn(topic -> !topic.internal())
                .isEmpty();
    }
}
