package io.sluice.broker.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TwoHalves;
import io.sluice.broker.TwoHalves.Half;
import io.sluice.broker.balance.LoadSample.ContainerLoad;
import io.sluice.broker.balance.LoadSample.PartitionLoad;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whichever of two nodes decides, it decides by what both have to do. */
@Timeout(60)
class ClusterLoadTest {
    private static final TopicName NAME = TopicName.ofDefault("busy");
    private static final int PARTITIONS = 8;
    private static final int ROUND_MILLIS = 5_000;
    private static final int ENTRIES = 750;

    private final TwoHalves nodes = new TwoHalves();
    /** The nodes' clocks have nothing to do with each other. */
    private final AtomicLong first = new AtomicLong(1_000_000);

    private final AtomicLong second = new AtomicLong(77);
    private final ClusterLoad ofFirst = load(nodes.one, first);
    private final ClusterLoad ofSecond = load(nodes.two, second);

    private static ClusterLoad load(Half node, AtomicLong clock) {
        var here = new MeasureLoad(
                node.broker().catalogue(),
                node.broker().partitions(),
                node.containers(),
                id -> new Strain(0, 0.5, 0.25, 0.125),
                clock::get);
        return new ClusterLoad(here, node.cluster(), node.others(), clock::get);
    }

    private void answer(ClusterLoad load, PeerHandlers handlers) {
        load.answer(handlers, task -> Thread.ofVirtual().start(task));
    }

    @AfterEach
    void stop() {
        nodes.close();
    }

    private void create() {
        nodes.one
                .broker()
                .catalogue()
                .create(NAME, PARTITIONS, true, false, Map.of())
                .join();
    }

    private void load(Set<Integer> partitions) {
        partitions.forEach(partition -> nodes.append(NAME, partition, ENTRIES, 10));
        first.addAndGet(ROUND_MILLIS);
        second.addAndGet(ROUND_MILLIS);
    }

    private int container(int partition) {
        Topic topic = Objects.requireNonNull(nodes.one.topic(NAME));
        return topic.partitions().get(partition).container();
    }

    @Test
    void aSampleHasTheContainersOfBothNodes() throws Exception {
        answer(ofSecond, nodes.two.handlers());
        create();
        Set<Integer> all = new TreeSet<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            all.add(partition);
        }
        for (int round = 0; round < 3; round++) {
            load(all);
            ofFirst.sample();
        }
        LoadSample sample = ofFirst.sample();

        assertThat(sample.containers()).extracting(ContainerLoad::id).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(sample.containers()).allSatisfy(each -> {
            assertThat(each.rate().appends()).isGreaterThan(50);
            assertThat(first.get() - each.servedSince()).isBetween(0L, 3L * ROUND_MILLIS);
            assertThat(each.strain().loopBusy()).isEqualTo(0.5);
            assertThat(each.strain().logPressure()).isEqualTo(0.25);
            assertThat(each.strain().tierPressure()).isEqualTo(0.125);
        });
        assertThat(sample.containers().stream()
                        .collect(Collectors.groupingBy(each -> each.strain().loop())))
                .as("each node's loop, with its containers")
                .hasSize(2)
                .allSatisfy((loop, turned) -> assertThat(turned).hasSize(2));
        assertThat(sample.partitions())
                .hasSize(PARTITIONS)
                .allMatch(each -> each.topic().equals(NAME) && each.container() == container(each.partition()));
        assertThat(sample.partitions().stream().map(PartitionLoad::id)).doesNotHaveDuplicates();
    }

    @Test
    void aNodeThatDoesNotAnswerIsLeftOut() throws Exception {
        create();
        load(Set.of(0, 1, 2, 3));
        assertThat(ofFirst.sample().containers()).extracting(ContainerLoad::id).containsExactlyInAnyOrder(0, 2);
    }

    @Test
    void aHotContainerOfAnotherNodeGivesPartitionsToThisOne() throws Exception {
        answer(ofSecond, nodes.two.handlers());
        create();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            nodes.one.broker().catalogue().move(NAME, partition, 1).join();
        }
        var balance = new KeepLoadEven(
                nodes.one.broker().catalogue(),
                ofFirst,
                new BalancePolicy(BalanceSettings.DEFAULT),
                nodes.one.containers()::level,
                first::get);
        List<KeepLoadEven.Done> moves = new ArrayList<>();
        Set<Integer> all = Set.of(0, 1, 2, 3, 4, 5, 6, 7);
        for (int round = 0; round < 60_000 / ROUND_MILLIS; round++) {
            load(all);
            moves.addAll(balance.round());
        }
        assertThat(moves)
                .hasSizeBetween(5, 7)
                .allMatch(KeepLoadEven.Done::moved)
                .allSatisfy(done -> assertThat(done.move().from()).isEqualTo(1));
        assertThat(moves.stream().map(done -> done.move().to()).collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(0, 2, 3);
        assertThat(balance.unevenness()).isBetween(1.0, 1.6);
    }
}
