package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.TwoHalves.Half;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.SubscribePartition;
import io.sluice.store.segment.StoreException;
import io.sluice.testing.ExpectedLog;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Partitions that are made on use, at a node that has not heard of what another has done to their topic. */
@ExpectedLog("segments are deleted later")
class LateNodesTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final TwoHalves halves = new TwoHalves();

    @AfterEach
    void close() {
        halves.close();
    }

    /** A topic whose partitions all lie in a container of the node, which knows it. */
    private Topic createAt(Half half) {
        Half other = half == halves.one ? halves.two : halves.one;
        for (int n = 0; ; n++) {
            TopicName name = TopicName.ofDefault("elastic-" + n);
            Topic topic = other.broker()
                    .catalogue()
                    .create(name, 4, true, false, Map.of(Topic.ELASTIC, "true"))
                    .join();
            await().atMost(LONG).until(() -> half.topic(name) != null);
            if (halves.serving(container(topic)) == half) {
                return topic;
            }
        }
    }

    private static int container(Topic topic) {
        return topic.partitions().getFirst().container();
    }

    private static PartitionLog found(Half half, Topic topic, int partition) {
        return Objects.requireNonNull(half.broker().partitions().find(topic, partition));
    }

    private static String append(Half half, PartitionLog log) {
        Answers answers = new Answers();
        half.onLoop(log, () -> {
            log.append(TestEntries.plain(1, 100, 0), answers);
            return null;
        });
        return answers.await();
    }

    /** Once the topic's record was read, which the first try begins. */
    private static void awaitAppended(Half half, Topic topic, int partition) {
        await().atMost(LONG)
                .until(() -> append(half, found(half, topic, partition)).startsWith("appended"));
    }

    private static boolean isMade(Half half, Placement at) {
        return half.containers()
                .onLoop(
                        at.container(),
                        () -> half.containers().get(at.container()).info(at.segment()) != null);
    }

    private static void assertNeverMade(Half half, Topic topic, int partition) {
        PartitionLog log = found(half, topic, partition);
        assertThat(append(half, log)).startsWith("failed");
        await().atMost(LONG).until(() -> half.topic(topic.name()) == null);
        assertThat(append(half, log)).startsWith("failed");
        assertThat(isMade(half, topic.partitions().get(partition))).isFalse();
    }

    @Test
    void ofATopicThatAnotherNodeHasDeletedNothingIsMade() {
        Topic topic = createAt(halves.two);
        awaitAppended(halves.two, topic, 0);
        halves.two.metadata().hold();
        halves.one.broker().catalogue().delete(topic.name()).join();
        assertThat(halves.two.topic(topic.name())).isNotNull();
        assertNeverMade(halves.two, topic, 1);
        assertThat(isMade(halves.two, topic.partitions().getFirst())).isFalse();
    }

    @Test
    void norInTheTermAfterIt() {
        Topic topic = createAt(halves.two);
        awaitAppended(halves.two, topic, 0);
        halves.two.metadata().hold();
        halves.two.containers().stop(container(topic));
        halves.one.broker().catalogue().delete(topic.name()).join();
        halves.two.containers().start(container(topic));
        assertNeverMade(halves.two, topic, 1);
    }

    @Test
    void norWhereItWasWhenItWasGivenAnotherPlace() {
        Topic topic = createAt(halves.two);
        awaitAppended(halves.two, topic, 0);
        halves.two.metadata().hold();
        halves.one.containers().leave(container(topic));
        Topic moved = halves.one
                .broker()
                .catalogue()
                .configure(topic.name(), topic.settings())
                .join();
        Placement before = topic.partitions().get(1);
        assertThat(moved.partitions().get(1)).isNotEqualTo(before);
        PartitionLog log = found(halves.two, topic, 1);
        assertThat(append(halves.two, log)).startsWith("failed");
        await().atMost(LONG).until(() -> moved.equals(halves.two.topic(topic.name())));
        assertThat(append(halves.two, log)).startsWith("failed");
        assertThat(isMade(halves.two, before)).isFalse();
        awaitAppended(halves.serving(moved.partitions().get(1).container()), moved, 1);
    }

    @Test
    void norForANodeThatHasNotHeardOfItsDeletion() {
        Topic topic = createAt(halves.one);
        awaitAppended(halves.one, topic, 0);
        halves.two.metadata().hold();
        halves.one.broker().catalogue().delete(topic.name()).join();
        var subscribe = new SubscribePartition(Map.of("s", Map.of()), SubscriptionStart.FIRST);
        for (int tries = 0; tries < 2; tries++) {
            assertThatThrownBy(() -> halves.two
                            .broker()
                            .partitions()
                            .ask(topic, 1, subscribe)
                            .join())
                    .hasCauseInstanceOf(StoreException.class);
        }
        assertThat(isMade(halves.one, topic.partitions().get(1))).isFalse();
    }

    @Test
    void anotherNodeMakesOneByASubscription() {
        Topic topic = createAt(halves.one);
        var subscribe = new SubscribePartition(Map.of("s", Map.of()), SubscriptionStart.FIRST);
        await().atMost(LONG)
                .ignoreExceptions()
                .until(() -> halves.two
                        .broker()
                        .partitions()
                        .ask(topic, 1, subscribe)
                        .join()
                        .isEmpty());
        assertThat(isMade(halves.one, topic.partitions().get(1))).isTrue();
    }
}
