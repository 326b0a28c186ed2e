package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.TwoHalves.Half;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicSeen;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.testing.ExpectedLog;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of topics whose partitions lie in containers of two nodes, asked of either. */
@ExpectedLog("planted")
class TwoHalvesTest {
    private static final TopicName NAME = TopicName.ofDefault("orders");
    private static final Duration LONG = Duration.ofSeconds(60);

    private static Topic awaitPartitions(Half half, int count) {
        await().atMost(LONG).until(() -> {
            Topic topic = half.topic(NAME);
            return topic != null && topic.partitions().size() == count;
        });
        return Objects.requireNonNull(half.topic(NAME));
    }

    private static void awaitPlace(Half half, int partition, int container) {
        await().atMost(LONG).until(() -> {
            Topic topic = half.topic(NAME);
            return topic != null && topic.partitions().get(partition).container() == container;
        });
    }

    private static void create(TwoHalves halves, Half at, int partitions) {
        at.broker().catalogue().create(NAME, partitions, true, false, Map.of()).join();
        awaitPartitions(halves.one, partitions);
        awaitPartitions(halves.two, partitions);
    }

    private static @Nullable SegmentInfo info(TwoHalves halves, int container, long segment) {
        Half half = halves.serving(container);
        return half.containers()
                .onLoop(container, () -> half.containers().get(container).info(segment));
    }

    private static void move(TwoHalves halves, Half asked, int partition, int container) {
        asked.broker().catalogue().move(NAME, partition, container).join();
        awaitPlace(halves.one, partition, container);
        awaitPlace(halves.two, partition, container);
    }

    /** Number of entries that a reader finds from {@code from} to the end, where the partition is served. */
    private static int readAll(Half half, int partition, long from) {
        PartitionLog log = Objects.requireNonNull(half.log(NAME, partition));
        Answers answers = new Answers();
        long offset = from;
        int entries = 0;
        while (true) {
            long at = offset;
            half.onLoop(log, () -> {
                log.read(at, 20_000, Isolation.UNCOMMITTED, answers);
                return null;
            });
            String answer = answers.await();
            if (answer.equals("at end")) {
                return entries;
            }
            assertThat(answer).startsWith("entries ");
            assertThat(answers.nextOffset()).isGreaterThan(offset);
            entries += (int) (answers.nextOffset() - offset);
            offset = answers.nextOffset();
        }
    }

    private static void subscribe(Half half, int partition, String name) {
        PartitionLog log = Objects.requireNonNull(half.log(NAME, partition));
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        half.onLoop(
                log,
                () -> log.subscriptions()
                        .create(name, 0, Map.of("made", "here"), Durable.of(() -> done.complete(true))));
        done.join();
    }

    private static Map<String, String> properties(Half half, int partition, String name) {
        PartitionLog log = Objects.requireNonNull(half.log(NAME, partition));
        return half.onLoop(log, () -> {
            Subscriptions all = log.subscriptions();
            return all.find(name) == null
                    ? Map.of()
                    : Objects.requireNonNull(all.find(name)).properties();
        });
    }

    @Test
    void aTopicIsMadeGrownAndDeletedInTheContainersOfBothNodes() {
        try (TwoHalves halves = new TwoHalves()) {
            create(halves, halves.one, 8);
            subscribe(halves.two, 1, "readers");
            halves.two.broker().catalogue().expand(NAME, 12).join();
            Topic topic = awaitPartitions(halves.one, 12);
            assertThat(topic.partitions().stream()
                            .map(Topic.Placement::container)
                            .toList())
                    .containsExactly(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
            for (int p = 0; p < 12; p++) {
                int container = topic.partitions().get(p).container();
                assertThat(info(halves, container, topic.partitions().get(p).segment()))
                        .isNotNull();
                if (p >= 8) {
                    assertThat(properties(halves.serving(container), p, "readers"))
                            .containsEntry("made", "here");
                }
            }
            halves.one.broker().catalogue().delete(NAME).join();
            for (Topic.Placement each : topic.partitions()) {
                assertThat(info(halves, each.container(), each.segment())).isNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPartitionMovesBetweenNodesAndItsHistoryIsReadThroughTheOther(boolean askFirst) {
        try (TwoHalves halves = new TwoHalves()) {
            Half asked = askFirst ? halves.one : halves.two;
            create(halves, asked, 1);
            long first = Objects.requireNonNull(asked.topic(NAME))
                    .partitions()
                    .getFirst()
                    .segment();
            halves.append(NAME, 0, 100, 10_000);
            subscribe(halves.one, 0, "readers");
            move(halves, asked, 0, 1);
            assertThat(halves.one.log(NAME, 0)).isNull();
            long second = Objects.requireNonNull(asked.topic(NAME))
                    .partitions()
                    .getFirst()
                    .segment();
            assertThat(properties(halves.two, 0, "readers")).containsEntry("made", "here");
            assertThat(readAll(halves.two, 0, 0)).isEqualTo(100);
            halves.append(NAME, 0, 50, 10_000);
            assertThat(readAll(halves.two, 0, 0)).isEqualTo(150);
            assertThat(readAll(halves.two, 0, 42)).isEqualTo(108);
            move(halves, asked, 0, 2);
            halves.append(NAME, 0, 30, 10_000);
            assertThat(readAll(halves.one, 0, 0)).isEqualTo(180);

            deleteBefore(halves.one, 0, 120);
            assertThat(readAll(halves.one, 0, 120)).isEqualTo(60);
            await().atMost(LONG).until(() -> info(halves, 0, first) == null);
            await().atMost(LONG)
                    .until(() -> Objects.requireNonNull(info(halves, 1, second)).start() > 0);
            deleteBefore(halves.one, 0, 160);
            await().atMost(LONG).until(() -> info(halves, 1, second) == null);
            assertThat(readAll(halves.one, 0, 160)).isEqualTo(20);
        }
    }

    private static void deleteBefore(Half half, int partition, long offset) {
        PartitionLog log = Objects.requireNonNull(half.log(NAME, partition));
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        half.onLoop(log, () -> {
            log.retention().deleteBefore(offset, Durable.of(() -> done.complete(true)));
            return null;
        });
        done.join();
    }

    @Test
    void aScalableTopicSplitsAndMergesOverTheContainersOfBothNodes() {
        try (TwoHalves halves = new TwoHalves()) {
            var scalable = halves.one.broker().scalableTopics();
            ScalableTopic topic = scalable.create(NAME, 2, Map.of()).join();
            scalable.subscriptions().create(NAME, "readers").join();
            for (ScalableSegment each : topic.graph().active()) {
                topic = scalable.split(NAME, each.id()).join();
            }
            List<ScalableSegment> children = topic.graph().active();
            assertThat(children).hasSize(4);
            topic = scalable.merge(NAME, children.get(0).id(), children.get(1).id())
                    .join();
            Set<Integer> containers = new HashSet<>();
            for (ScalableSegment each : topic.graph().all()) {
                TopicName name = topic.place(each).topic();
                int container = Objects.requireNonNull(halves.one.topic(name))
                        .partitions()
                        .getFirst()
                        .container();
                containers.add(container);
                Half half = halves.serving(container);
                await().atMost(LONG).until(() -> half.log(name, 0) != null);
                PartitionLog log = Objects.requireNonNull(half.log(name, 0));
                assertThat(half.<Boolean>onLoop(log, log::isTerminated)).isEqualTo(!each.isActive());
                assertThat(half.onLoop(log, () -> log.subscriptions().find("readers")))
                        .isNotNull();
            }
            assertThat(containers).containsExactly(0, 1, 2, 3);
        }
    }

    @Test
    void aSubscriptionOfATopicThatHasJustGrownIsMadeInTheNewPartitionsOfTheOtherNode() {
        try (TwoHalves halves = new TwoHalves()) {
            create(halves, halves.one, 1);
            Topic before = Objects.requireNonNull(halves.one.topic(NAME));
            halves.one.broker().catalogue().expand(NAME, 4).join();
            awaitPartitions(halves.two, 4);
            halves.append(NAME, 1, 3, 10);
            halves.one
                    .broker()
                    .catalogue()
                    .growth()
                    .subscribe(TopicSeen.of(before), 0, "s", Map.of("k", "v"), SubscriptionStart.END)
                    .join();
            for (int p = 0; p < 4; p++) {
                assertThat(properties(halves.serving(p), p, "s")).containsEntry("k", "v");
            }
            PartitionLog log = Objects.requireNonNull(halves.two.log(NAME, 1));
            assertThat(halves.two.<Long>onLoop(
                            log,
                            () -> Objects.requireNonNull(log.subscriptions().find("s"))
                                    .ackedBelow()))
                    .isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSubscriptionThatBeginsAtAMessageIsMadeInAndDeletedFromNewPartitionsOfTheOtherNode(boolean askFirst) {
        try (TwoHalves halves = new TwoHalves()) {
            create(halves, halves.one, 1);
            TopicSeen before = TopicSeen.of(Objects.requireNonNull(halves.one.topic(NAME)));
            halves.one.broker().catalogue().expand(NAME, 4).join();
            Topic grown = awaitPartitions(halves.two, 4);
            for (int p = 0; p < 4; p++) {
                halves.append(NAME, p, 3, 10);
            }
            var growth =
                    (askFirst ? halves.one : halves.two).broker().catalogue().growth();
            long partitionId = grown.partitions().get(1).partitionId();
            for (int p = 0; p < 4; p++) { // whichever node serves the partition at which the client is
                var at = new SubscriptionStart.AtMessage(partitionId, 1, 0);
                growth.subscribe(before, p, "s", Map.of("k", "v"), at).join();
            }
            for (int p = 0; p < (askFirst ? 4 : 1); p++) {
                assertThat(properties(halves.serving(p), p, "s")).containsEntry("k", "v");
            }
            PartitionLog log = Objects.requireNonNull(halves.two.log(NAME, 1));
            assertThat(halves.two.<Long>onLoop(
                            log,
                            () -> Objects.requireNonNull(log.subscriptions().find("s"))
                                    .ackedBelow()))
                    .isEqualTo(1);
            growth.unsubscribed(before, "s", new DeleteSubscription("s", -1)).join();
            assertThat(properties(halves.two, 3, "s")).isNotEmpty();
            halves.one
                    .broker()
                    .partitions()
                    .ask(grown, 0, new DeleteSubscription("s", -1))
                    .join();
            growth.unsubscribed(before, "s", new DeleteSubscription("s", -1)).join();
            for (int p = 0; p < 4; p++) {
                assertThat(properties(halves.serving(p), p, "s")).isEmpty();
            }
        }
    }

    @Test
    void largeEntriesOfAnotherNodesContainerAreReadPieceByPiece() {
        try (TwoHalves halves = new TwoHalves()) {
            create(halves, halves.one, 1);
            halves.append(NAME, 0, 3, 1_900_000);
            move(halves, halves.one, 0, 1);
            assertThat(readAll(halves.two, 0, 0)).isEqualTo(3);
        }
    }

    @Test
    void noPartitionIsPlacedWhereNoNodeServes() {
        try (TwoHalves halves = new TwoHalves()) {
            halves.loseSecond();
            create(halves, halves.one, 4);
            assertThat(Objects.requireNonNull(halves.one.topic(NAME)).partitions())
                    .extracting(Topic.Placement::container)
                    .containsExactly(0, 2, 0, 2);
            assertThatThrownBy(() ->
                            halves.one.broker().catalogue().move(NAME, 0, 1).join())
                    .hasMessageContaining("container 1 is not served now");
        }
    }

    @Test
    void aStateTooLargeForTheWayIsRefusedBeforeThePartitionLeaves() {
        try (TwoHalves halves = new TwoHalves()) {
            create(halves, halves.one, 2);
            Topic topic = Objects.requireNonNull(halves.one.topic(NAME));
            halves.one.operations().setMostBytes(1);
            for (int partition : List.of(0, 1)) { // served here, and there
                int to = topic.partitions().get(partition).container() ^ 1;
                assertThatThrownBy(() -> halves.one
                                .broker()
                                .catalogue()
                                .move(NAME, partition, to)
                                .join())
                        .hasMessageContaining("stays: its state has")
                        .hasMessageContaining("and 1 may go to another node");
                halves.append(NAME, partition, 1, 100);
            }
            assertThat(halves.one.broker().interruptedChanges()).isZero();
            halves.one.operations().setMostBytes(1 << 20);
            move(halves, halves.one, 0, 1);
            assertThat(readAll(halves.two, 0, 0)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMoveThatIsCutShortAnywhereIsFinishedOrUndone(boolean carriedOut) {
        try (TwoHalves halves = new TwoHalves()) {
            create(halves, halves.one, 1);
            int written = 0;
            for (int others = 0; ; others++) {
                halves.append(NAME, 0, 10, 100);
                written += 10;
                int from = Objects.requireNonNull(halves.one.topic(NAME))
                        .partitions()
                        .getFirst()
                        .container();
                int to = (from + 1) % 4;
                halves.one.operations().failAfter(others, carriedOut);
                try {
                    halves.one.broker().catalogue().move(NAME, 0, to).join();
                } catch (CompletionException e) {
                    assertThat(e).hasMessageContaining("planted");
                }
                boolean failed = halves.one.operations().hasFailed();
                halves.one.operations().failAfter(-1, false);
                await().atMost(LONG).until(() -> {
                    halves.one.broker().finishLeft().join();
                    return halves.one.broker().interruptedChanges() == 0;
                });
                int now = Objects.requireNonNull(halves.one.topic(NAME))
                        .partitions()
                        .getFirst()
                        .container();
                assertThat(now).isIn(from, to);
                awaitPlace(halves.two, 0, now);
                assertThat(readAll(halves.serving(now), 0, 0)).isEqualTo(written);
                if (!failed) {
                    assertThat(others).isGreaterThan(3);
                    return;
                }
            }
        }
    }
}
