package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.DeleteSubscription;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.testing.ExpectedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** New partitions of a topic have the subscriptions of the others, from their beginning. */
@ExpectedLog("The metadata store did not answer")
class TopicGrowthTest {
    private static final TopicName NAME = TopicName.ofDefault("t");

    private final TestBroker broker = TestBroker.start();

    @AfterEach
    void close() {
        broker.close();
    }

    private PartitionLog log(int partition) {
        return broker.partition(NAME, partition);
    }

    private void append(int partition) {
        PartitionLog log = log(partition);
        Answers answers = new Answers();
        broker.onLoop(log, () -> {
            log.append(TestEntries.plain(1, 10, 1), answers);
            return true;
        });
        assertThat(answers.await()).startsWith("appended");
    }

    private void subscribe(int partition, String name, Map<String, String> properties) {
        PartitionLog log = log(partition);
        broker.onLoop(log, () -> {
            PartitionLog made = log.createIfMissing();
            return made.subscriptions().create(name, made.durableEnd(), properties, Durable.IGNORED);
        });
    }

    /** First offsets that subscriptions are to be given, by name. */
    private Map<String, Long> positions(int partition) {
        PartitionLog log = log(partition);
        return broker.onLoop(log, () -> {
            Map<String, Long> found = new TreeMap<>();
            log.subscriptions().all().forEach(cursor -> found.put(cursor.name(), cursor.ackedBelow()));
            return found;
        });
    }

    private Topic grow(int total) {
        return broker.catalogue().expand(NAME, total).join();
    }

    private static void assertRefused(Reason reason, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        CompletionException.class,
                        e -> assertThat(e.getCause())
                                .isInstanceOfSatisfying(
                                        TopicException.class,
                                        t -> assertThat(t.reason()).isEqualTo(reason)));
    }

    @Test
    void newPartitionsHaveEverySubscriptionFromTheirBeginning() {
        broker.createTopic("t", 2);
        append(0);
        subscribe(0, "both", Map.of("a", "b"));
        subscribe(1, "both", Map.of("a", "b"));
        subscribe(1, "one", Map.of());
        grow(5);
        for (int p = 2; p < 5; p++) {
            append(p);
            assertThat(positions(p)).isEqualTo(Map.of("both", 0L, "one", 0L));
        }
        assertThat(positions(0)).isEqualTo(Map.of("both", 1L));
        broker.restart();
        PartitionLog last = log(4);
        Cursor both = broker.onLoop(last, () -> last.subscriptions().find("both"));
        assertThat(Objects.requireNonNull(both).properties()).isEqualTo(Map.of("a", "b"));
        grow(6);
        assertThat(positions(5)).isEqualTo(Map.of("both", 0L, "one", 0L));
    }

    /** Each server makes its own when it first compacts a partition; nobody would move this one. */
    @Test
    void theSubscriptionOfCompactionIsNotCarriedOver() {
        broker.createTopic("t", 1);
        subscribe(0, Subscriptions.COMPACTION, Map.of());
        grow(2);
        assertThat(positions(1)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aGrowthCutShortLeavesTheTopicAsItWas(int writes) {
        Topic before = broker.createTopic("t", 1);
        subscribe(0, "s", Map.of());
        broker.metadata().crashAfter(writes);
        assertRefused(Reason.UNAVAILABLE, () -> grow(3));
        assertThat(broker.catalogue().find(NAME)).isEqualTo(before);
        broker.metadata().crashAfter(Integer.MAX_VALUE);
        broker.restart();
        assertThat(broker.catalogue().find(NAME)).isEqualTo(before);
        grow(3);
        assertThat(positions(2)).isEqualTo(Map.of("s", 0L));
    }

    @Test
    void elasticTopicsCarryThemOverAndStayUnmadeWithout() {
        Topic topic = createElastic(4);
        grow(6);
        assertThat(isMade(5)).isFalse();
        subscribe(3, "s", Map.of());
        Topic wider = grow(8);
        assertThat(wider.partitions().subList(0, 4)).isEqualTo(topic.partitions());
        assertThat(isMade(5)).isFalse();
        append(7);
        assertThat(positions(6)).isEqualTo(Map.of("s", 0L));
        assertThat(positions(7)).isEqualTo(Map.of("s", 0L));
        broker.restart();
        assertThat(positions(7)).isEqualTo(Map.of("s", 0L));
        broker.metadata().crashAfter(1);
        assertRefused(Reason.UNAVAILABLE, () -> grow(9));
        broker.metadata().crashAfter(Integer.MAX_VALUE);
        broker.restart();
        assertThat(Objects.requireNonNull(broker.catalogue().find(NAME))).isEqualTo(wider);
        broker.catalogue().delete(NAME).join();
        for (int container : broker.containers().all()) {
            SegmentContainer serving =
                    Objects.requireNonNull(broker.containers().serving(container));
            assertThat(broker.containers()
                            .onLoop(
                                    container,
                                    () -> LongStream.range(0, 100)
                                            .filter(segment -> serving.info(segment) != null)
                                            .boxed()
                                            .toList()))
                    .isEmpty();
        }
    }

    private Topic createElastic(int partitions) {
        return broker.catalogue()
                .create(NAME, partitions, true, false, Map.of(Topic.ELASTIC, "true"))
                .join();
    }

    private boolean isMade(int partition) {
        PartitionLog log = log(partition);
        return broker.onLoop(log, () -> log.container().info(log.partitionId()) != null);
    }

    @Test
    void aTopicWhosePartitionsHaveTooManyTogetherDoesNotGrow() {
        broker.createTopic("t", 2);
        for (int n = 0; n < Subscriptions.MAX; n++) {
            subscribe(0, "s" + n, Map.of());
        }
        subscribe(1, "another", Map.of());
        assertRefused(Reason.INVALID_PARTITIONS, () -> grow(3));
        assertThat(Objects.requireNonNull(broker.catalogue().find(NAME)).partitions())
                .hasSize(2);
        broker.onLoop(log(1), () -> {
            log(1).subscriptions().delete("another", Durable.IGNORED);
            return true;
        });
        grow(3);
        assertThat(positions(2)).hasSize(Subscriptions.MAX);
    }

    private void delete(int partition, String name) {
        PartitionLog log = log(partition);
        broker.onLoop(log, () -> {
            log.subscriptions().delete(name, Durable.IGNORED);
            return true;
        });
    }

    /** As a gateway does for a client that has heard of the partitions in {@code seen}. */
    private CompletableFuture<Void> subscribeAll(Topic seen, String name) {
        List<CompletableFuture<Void>> made = new ArrayList<>();
        for (int p = 0; p < seen.partitions().size(); p++) {
            PartitionLog log = log(p);
            boolean here = broker.onLoop(log, () -> {
                if (broker.catalogue().growth().mayHaveNewPartitions(seen)) {
                    return false;
                }
                log.subscriptions().create(name, log.durableEnd(), Map.of(), Durable.IGNORED);
                return true;
            });
            if (!here) {
                made.add(broker.catalogue()
                        .growth()
                        .subscribe(TopicSeen.of(seen), p, name, Map.of(), SubscriptionStart.END));
            }
        }
        return CompletableFuture.allOf(made.toArray(CompletableFuture[]::new));
    }

    @Test
    void whatIsMadeWhileItGrowsIsInEveryPartition() {
        for (int round = 0; round < 50; round++) {
            Topic seen = broker.createTopic("t", 2);
            CompletableFuture<Topic> growth = broker.catalogue().expand(NAME, 4);
            subscribeAll(seen, "s").join();
            growth.join();
            for (int p = 0; p < 4; p++) {
                assertThat(positions(p))
                        .as("partition %d in round %d", p, round)
                        .isEqualTo(Map.of("s", 0L));
            }
            broker.catalogue().delete(NAME).join();
        }
    }

    @Test
    void whoHasNotHeardOfNewPartitionsYetMeansThemToo() {
        Topic seen = broker.createTopic("t", 1);
        grow(2);
        grow(3);
        append(1);
        subscribeAll(seen, "s").join();
        assertThat(positions(1)).isEqualTo(Map.of("s", 1L));
        assertThat(positions(2)).isEqualTo(Map.of("s", 0L));
    }

    @Test
    void whatIsDeletedFromAllThatItsClientKnowsIsDeletedFromNewPartitions() {
        TopicSeen seen = TopicSeen.of(broker.createTopic("t", 2));
        subscribe(0, "s", Map.of());
        subscribe(1, "s", Map.of());
        grow(4);
        TopicGrowth growth = broker.catalogue().growth();
        delete(0, "s");
        growth.unsubscribed(seen, "s", new DeleteSubscription("s", -1)).join();
        assertThat(positions(3)).containsKey("s");
        delete(1, "s");
        long used = log(2).partitionId();
        growth.unsubscribed(seen, "s", new DeleteSubscription("s", used)).join();
        assertThat(positions(2)).containsKey("s");
        assertThat(positions(3)).isEmpty();
    }
}
