package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestEntries;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.store.segment.LoopTask;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Partitions of an elastic topic, which the first write makes. */
class ElasticTopicTest extends CatalogueFixture {
    private Topic createElastic(TopicName name, int partitions) {
        return catalogue
                .create(name, partitions, true, false, Map.of(Topic.ELASTIC, "true"))
                .join();
    }

    private void write(Topic topic, int partition, String expected) {
        ContainerPartitions partitions = new ContainerPartitions(catalogue, containers, open);
        PartitionLog log = Objects.requireNonNull(partitions.find(topic, partition));
        Answers answers = new Answers();
        log.container().execute(LoopTask.of(() -> log.append(TestEntries.plain(1, 10, 1), answers)));
        assertThat(answers.await()).isEqualTo(expected);
    }

    @Test
    void partitionsOfAnElasticTopicAreMadeByTheFirstWrite() throws IOException {
        Topic topic = createElastic(NAME, 64);
        assertThat(topic.partitions().stream().map(Topic.Placement::container).distinct())
                .hasSize(1);
        assertThat(open.size()).isZero();
        assertThat(metadata.size()).isEqualTo(1);
        assertThat(Objects.requireNonNull(metadata.get("/sluice/topics/public/default/t"))
                        .value()
                        .length)
                .isLessThan(100);
        write(topic, 5, "appended 0..0");
        write(topic, 5, "appended 1..1");
        write(topic, 63, "appended 0..0");
        assertThat(open.size()).isEqualTo(2);
        restartWhole();
        assertThat(catalogue.find(NAME)).isEqualTo(topic);
        assertThat(open.size()).isEqualTo(2);
        write(topic, 5, "appended 2..2");
        catalogue.move(NAME, 5, (place(5).container() + 1) % 3).join();
        Topic moved = catalogue.move(NAME, 6, (place(6).container() + 1) % 3).join();
        write(moved, 5, "appended 3..3");
        write(moved, 6, "appended 0..0");
        // who looked before the move must not make it in the old place
        write(topic, 6, "failed NotOwner");
        restartWhole();
        assertThat(catalogue.find(NAME)).isEqualTo(moved);
        write(moved, 5, "appended 4..4");
        assertThat(catalogue.expand(NAME, 70).join().partitions()).hasSize(70);
        catalogue.delete(NAME).join();
        assertThat(open.size()).isZero();
        write(moved, 7, "failed NotOwner");
        assertThat(open.size()).isZero();
        assertThat(metadata.size()).isZero();
    }

    private void restartOften(int container) {
        for (int i = 0; i < 300; i++) {
            containers.stop(container);
            containers.start(container);
        }
    }

    /** Clients that have seen an epoch take no lower one for news, and would look for the partition in its old place for ever. */
    @Test
    void theEpochOfAPartitionThatNobodyHasMadeDoesNotFallWhenItsContainerLeaves() throws IOException {
        Topic topic = createElastic(NAME, 8);
        int first = place(0).container();
        write(topic, 0, "appended 0..0");
        restartOften(first);
        int[] epochs = new int[8];
        for (int turn = 0; turn < 2; turn++) {
            containers.leave(place(1).container());
            for (int p = 0; p < 8; p++) {
                epochs[p] = found(p).leaderEpoch();
            }
            catalogue.bringHome(NAME).join();
            assertThat(place(1).container()).isNotEqualTo(first);
            for (int p = 0; p < 8; p++) {
                assertThat(found(p).leaderEpoch())
                        .as("epoch of partition %s", p)
                        .isGreaterThanOrEqualTo(epochs[p]);
                epochs[p] = found(p).leaderEpoch();
            }
            restartWhole();
            for (int p = 0; p < 8; p++) {
                assertThat(found(p).leaderEpoch())
                        .as("epoch of partition %s", p)
                        .isGreaterThanOrEqualTo(epochs[p]);
                epochs[p] = found(p).leaderEpoch();
            }
        }
        write(Objects.requireNonNull(catalogue.find(NAME)), 2, "appended 0..0");
        assertThat(found(2).leaderEpoch()).isEqualTo(epochs[2]);
        containers.get(place(2).container()).checkpoint();
        containers.restart();
        assertThat(found(2).leaderEpoch()).isGreaterThan(epochs[2]);
        epochs[2] = found(2).leaderEpoch();
        catalogue.configure(NAME, Map.of("x", "y")).join();
        assertThat(found(3).leaderEpoch()).isGreaterThan(epochs[3]);
    }

    @Test
    void elasticityStaysAsItWasGiven() {
        createElastic(NAME, 8);
        assertThat(catalogue.configure(NAME, Map.of("x", "y")).join().settings())
                .containsOnly(Map.entry("x", "y"), Map.entry(Topic.ELASTIC, "true"));
        assertRefused(
                Reason.INVALID_SETTING,
                () -> catalogue.configure(NAME, Map.of(Topic.ELASTIC, "false")).join());
        create(TopicName.ofDefault("u"), 1);
        assertRefused(
                Reason.INVALID_SETTING,
                () -> catalogue
                        .configure(TopicName.ofDefault("u"), Map.of(Topic.ELASTIC, "true"))
                        .join());
    }

    /** Created, looked at, listed: what nobody has written to. */
    @Test
    void thousandsOfIdleElasticTopicsAreAsManySmallRecords() throws IOException {
        for (int i = 0; i < 2_000; i++) {
            createElastic(TopicName.ofDefault("idle" + i), 64);
        }
        assertThat(open.size()).isZero();
        assertThat(metadata.size()).isEqualTo(2_000);
        restartWhole();
        assertThat(catalogue.all()).hasSize(2_000);
        assertThat(open.size()).isZero();
    }
}
