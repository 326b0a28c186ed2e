package io.sluice.broker.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.balance.MeasureLoad;
import io.sluice.broker.balance.Strain;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scaling.KeepTopicsScaled.Done;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeepTopicsScaledTest {
    private static final TopicName NAME = TopicName.ofDefault("busy");
    private static final int ROUND_MILLIS = 5_000;
    private static final int CONTAINERS = 4;
    private static final int MINUTES = 12;

    private final TestBroker broker = TestBroker.startWith(CONTAINERS);
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final MeasureLoad measure =
            new MeasureLoad(broker.catalogue(), broker.partitions(), broker.containers(), id -> Strain.NONE, now::get);
    private final KeepTopicsScaled scaling = new KeepTopicsScaled(
            new KeepTopicsScaled.Context(
                    broker.catalogue(), broker.scalableTopics(), broker.durability(), broker.containers(), now::get),
            ScaleTargets.of(0, 100));

    @AfterEach
    void stop() {
        broker.close();
    }

    private void append(TopicName topic, int partition, int events) {
        PartitionLog log = Objects.requireNonNull(broker.partitions()
                .find(Objects.requireNonNull(broker.catalogue().find(topic)), partition));
        Answers answers = new Answers();
        broker.onLoop(log, () -> {
            log.append(TestEntries.plain(events, 10 * events, 0), answers);
            return null;
        });
    }

    private List<Done> round() throws InterruptedException {
        now.addAndGet(ROUND_MILLIS);
        List<Done> done = scaling.round(measure.sample());
        assertThat(done).allMatch(Done::done);
        return done;
    }

    private List<Done> idle(int minutes) throws InterruptedException {
        List<Done> all = new ArrayList<>();
        for (int i = 0; i < minutes * 60_000 / ROUND_MILLIS; i++) {
            all.addAll(round());
        }
        return all;
    }

    private List<Integer> containers() {
        return Objects.requireNonNull(broker.catalogue().find(NAME)).partitions().stream()
                .map(Topic.Placement::container)
                .toList();
    }

    private static int runs(List<Integer> containers) {
        return 1
                + (int) IntStream.range(1, containers.size())
                        .filter(p -> !containers.get(p).equals(containers.get(p - 1)))
                        .count();
    }

    @Test
    void anElasticTopicSpreadsOverContainersAndComesTogetherAgain() throws Exception {
        broker.catalogue()
                .create(NAME, 16, true, false, Map.of(Topic.ELASTIC, "true"))
                .join();
        assertThat(round()).isEmpty();
        List<Done> splits = new ArrayList<>();
        for (int i = 0; i < 5 * 60_000 / ROUND_MILLIS; i++) {
            for (int partition = 0; partition < 16; partition++) {
                append(NAME, partition, 100);
            }
            splits.addAll(round());
        }
        assertThat(splits).hasSize(CONTAINERS - 1).allSatisfy(done -> {
            assertThat(done.split()).isTrue();
            assertThat(done.what()).startsWith("splits partitions ").contains(" go from container ");
            assertThat(done.reason()).contains("events/s in (limit 100)");
        });
        assertThat(containers()).contains(0, 1, 2, 3);
        assertThat(runs(containers())).isEqualTo(CONTAINERS);
        assertThat(scaling.ranges(NAME, false))
                .hasSize(CONTAINERS)
                .allSatisfy(range -> assertThat(range.flow().eventsIn()).isBetween(60.0, 110.0));

        List<Done> merges = idle(4 * MINUTES);
        assertThat(merges).hasSize(CONTAINERS - 1).noneMatch(Done::split);
        assertThat(runs(containers())).isEqualTo(1);
        assertThat(scaling.steps()).hasSize(2 * (CONTAINERS - 1)).startsWith(merges.getLast());
        for (int partition = 0; partition < 16; partition++) {
            PartitionLog log = broker.partition(NAME, partition);
            assertThat(broker.<Long>onLoop(log, log::durableEnd)).isEqualTo(6_000);
        }
    }

    @Test
    void aTopicsOwnLimitCounts() throws Exception {
        broker.catalogue()
                .create(NAME, 16, true, false, Map.of(Topic.ELASTIC, "true", Topic.SCALING_EVENTS, "0"))
                .join();
        for (int i = 0; i < 30; i++) {
            for (int partition = 0; partition < 16; partition++) {
                append(NAME, partition, 100);
            }
            assertThat(round()).isEmpty();
        }
    }

    @Test
    void aScalableTopicSplitsAndMerges() throws Exception {
        broker.scalableTopics().create(NAME, 1, Map.of()).join();
        List<Done> splits = new ArrayList<>();
        for (int i = 0; i < 5 * 60_000 / ROUND_MILLIS; i++) {
            ScalableTopic topic = topic();
            List<ScalableSegment> active = topic.graph().active();
            for (ScalableSegment segment : active) {
                append(topic.segmentName(segment), 0, 1_500 / active.size());
            }
            splits.addAll(round());
        }
        assertThat(splits).hasSize(3).allMatch(done -> done.what().startsWith("splits segment "));
        assertThat(topic().graph().active()).hasSize(4);
        assertThat(scaling.ranges(NAME, true)).hasSize(4);

        List<Done> merges = idle(4 * MINUTES);
        assertThat(merges).hasSize(3).allMatch(done -> done.what().startsWith("merges segments "));
        assertThat(topic().graph().active()).hasSize(1);
    }

    @Test
    void aPairThatMayNotMergeIsLeftAloneAndTriedAgainAfterAnHour() throws Exception {
        ScalableTopic topic = broker.scalableTopics().create(NAME, 2, Map.of()).join();
        for (ScalableSegment segment : topic.graph().active()) {
            String prefix = "of " + segment.id() + " ";
            PartitionLog log = broker.partition(topic.segmentName(segment), 0);
            broker.onLoop(log, () -> {
                for (int n = 0; n <= Subscriptions.MAX / 2; n++) {
                    log.createIfMissing().subscriptions().create(prefix + n, 0, Map.of(), Durable.IGNORED);
                }
                return true;
            });
        }
        List<Done> tried = new ArrayList<>();
        for (int i = 0; i < 90 * 60_000 / ROUND_MILLIS; i++) {
            now.addAndGet(ROUND_MILLIS);
            tried.addAll(scaling.round(measure.sample()));
        }
        assertThat(tried).hasSize(2).allSatisfy(done -> {
            assertThat(done.done()).isFalse();
            assertThat(done.refused()).isTrue();
            assertThat(done.reason()).contains("cold for 300 s; but a segment has at most 2000 subscriptions");
        });
        assertThat(tried.getLast().at() - tried.getFirst().at()).isGreaterThanOrEqualTo(3_600_000);
        assertThat(topic().graph()).isEqualTo(topic.graph());

        PartitionLog log =
                broker.partition(topic.segmentName(topic.graph().active().getFirst()), 0);
        broker.onLoop(log, () -> {
            log.subscriptions().delete("of 0 0", Durable.IGNORED);
            log.subscriptions().delete("of 0 1", Durable.IGNORED);
            return true;
        });
        assertThat(idle(61))
                .singleElement()
                .satisfies(done -> assertThat(done.split()).isFalse());
        assertThat(topic().graph().active()).hasSize(1);
    }

    private ScalableTopic topic() {
        return Objects.requireNonNull(broker.scalableTopics().find(NAME));
    }

    @Test
    void aScalableTopicThatSaysSoStaysAsItIs() throws Exception {
        broker.scalableTopics().create(NAME, 1, Map.of()).join();
        broker.scalableTopics().configure(NAME, Map.of("enabled", "false")).join();
        broker.restart();
        assertThat(topic().scaling()).isEqualTo(Map.of("enabled", "false"));
    }
}
