package io.sluice.broker.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetentionTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int BODY = 1_000;
    private static final TopicName NAME = TopicName.ofDefault("kept");

    private final TestBroker broker = TestBroker.start(() -> NOW);

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void settingsOfTheTopicGoBeforeTheServers() {
        Retention server = new Retention(500, 600);
        assertThat(Retention.of(topic(Map.of()), server)).isEqualTo(server);
        assertThat(Retention.of(topic(Map.of("retention.ms", "7")), server)).isEqualTo(new Retention(7, 600));
        assertThat(Retention.of(topic(Map.of("retention.bytes", "-1")), server)).isEqualTo(new Retention(500, -1));
        assertThat(Retention.of(topic(Map.of("cleanup.policy", "compact")), server))
                .isEqualTo(Retention.KEEP);
        assertThat(Retention.of(topic(Map.of("cleanup.policy", "compact , delete ")), server))
                .isEqualTo(server);
        assertThat(Retention.of(topic(Map.of("retention.ms", "soon")), Retention.KEEP)
                        .keepsAll())
                .isTrue();
    }

    @Test
    void whatIsTooOldGoesFromTheStartOn() throws Exception {
        PartitionLog log = filled(Map.of("retention.ms", "5500"));
        assertThat(round(Retention.KEEP)).isEqualTo(1);
        assertThat(start(log)).isEqualTo(5);
        assertThat(round(Retention.KEEP)).isZero();
        broker.restart();
        assertThat(start(broker.partition(NAME, 0))).isEqualTo(5);
    }

    @Test
    void everythingMayBeTooOld() throws Exception {
        PartitionLog log = filled(Map.of());
        round(new Retention(0, -1));
        assertThat(start(log)).isEqualTo(10);
        assertThat(broker.<Long>onLoop(log, log::sizeBytes)).isZero();
        append(log, NOW);
        assertThat(start(log)).isEqualTo(10);
    }

    @Test
    void anEntryFromTheFutureHoldsWhatIsBehindIt() throws Exception {
        broker.createTopic("kept", 1);
        PartitionLog log = broker.partition(NAME, 0);
        append(log, NOW - 9_000);
        append(log, NOW + 9_000);
        append(log, NOW - 8_000);
        round(new Retention(1_000, -1));
        assertThat(start(log)).isEqualTo(1);
    }

    @Test
    void atLeastTheBytesToKeepStay() throws Exception {
        PartitionLog log = filled(Map.of("retention.bytes", String.valueOf(3 * BODY)));
        round(Retention.KEEP);
        assertThat(start(log)).isEqualTo(7);
        assertThat(broker.<Long>onLoop(log, log::sizeBytes)).isBetween(3L * BODY, 4L * BODY);
    }

    @Test
    void whatASubscriptionHasNotAcknowledgedStays() throws Exception {
        PartitionLog log = filled(Map.of());
        Answers durable = new Answers();
        broker.containers().onLoop(log.container().id(), () -> {
            Cursor slow = log.subscriptions().create("slow", 0, Map.of(), Durable.IGNORED);
            slow.ackUpTo(2, durable);
            return 0;
        });
        assertThat(durable.await()).isEqualTo("durable");
        round(new Retention(1, -1));
        assertThat(start(log)).isEqualTo(3);
        broker.containers().onLoop(log.container().id(), () -> {
            log.subscriptions().delete("slow", durable);
            return 0;
        });
        assertThat(durable.await()).isEqualTo("durable");
        round(new Retention(1, -1));
        assertThat(start(log)).isEqualTo(10);
    }

    @Test
    void whatIsGoneAlreadyHoldsNothingThoughItWasNotAcknowledged() throws Exception {
        PartitionLog log = filled(Map.of());
        Answers durable = new Answers();
        broker.containers().onLoop(log.container().id(), () -> {
            Cursor cursor = log.subscriptions().create("s", 0, Map.of(), Durable.IGNORED);
            log.retention().deleteBefore(2, Durable.IGNORED);
            cursor.ack(2, 5, durable);
            return 0;
        });
        assertThat(durable.await()).isEqualTo("durable");
        round(new Retention(1, -1));
        assertThat(start(log)).isEqualTo(6);
    }

    @Test
    void manyPartitionsAreCutInOneRound() throws Exception {
        broker.createTopic("kept", 300);
        for (int partition = 0; partition < 300; partition += 3) {
            append(broker.partition(NAME, partition), NOW - 10_000);
        }
        assertThat(round(new Retention(1, -1))).isEqualTo(100);
    }

    private PartitionLog filled(Map<String, String> settings) {
        broker.catalogue().create(NAME, 1, true, false, settings).join();
        PartitionLog log = broker.partition(NAME, 0);
        for (int i = 0; i < 10; i++) {
            append(log, NOW - 10_000 + 1_000L * i);
        }
        return log;
    }

    private void append(PartitionLog log, long timestamp) {
        Answers answers = new Answers();
        broker.containers().onLoop(log.container().id(), () -> {
            log.append(TestEntries.plain(1, BODY, timestamp), answers);
            return 0;
        });
        assertThat(answers.await()).startsWith("appended");
    }

    private int round(Retention defaults) throws InterruptedException {
        return new EnforceRetention(broker.catalogue(), broker.partitions(), topic -> defaults, () -> NOW).round();
    }

    private long start(PartitionLog log) {
        return Objects.requireNonNull(broker.<Long>onLoop(log, log::startOffset));
    }

    private static Topic topic(Map<String, String> settings) {
        Topic.Placement placement = new Topic.Placement(0, 1);
        return new Topic(NAME, new UUID(1, 2), true, List.of(placement), settings, false, NOW);
    }
}
