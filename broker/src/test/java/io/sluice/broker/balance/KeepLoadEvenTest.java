package io.sluice.broker.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeepLoadEvenTest {
    private static final TopicName NAME = TopicName.ofDefault("busy");
    private static final int PARTITIONS = 16;
    private static final int ROUND_MILLIS = 5_000;
    private static final int ENTRIES = 750;
    private static final int BODY = 10;

    private final TestBroker broker = TestBroker.startWith(8);
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final KeepLoadEven balance = new KeepLoadEven(
            broker.catalogue(),
            new MeasureLoad(broker.catalogue(), broker.partitions(), broker.containers(), id -> Strain.NONE, now::get),
            new BalancePolicy(BalanceSettings.DEFAULT),
            broker.containers()::level,
            now::get);

    @AfterEach
    void stop() {
        broker.close();
    }

    /** Appends to each partition and lets five seconds pass. */
    private List<Move> round(boolean idle) throws InterruptedException {
        for (int partition = 0; !idle && partition < PARTITIONS; partition++) {
            PartitionLog log = broker.partition(NAME, partition);
            Answers answers = new Answers();
            broker.onLoop(log, () -> {
                for (int i = 0; i < ENTRIES; i++) {
                    log.append(TestEntries.plain(1, BODY, 0), answers);
                }
                return null;
            });
        }
        now.addAndGet(ROUND_MILLIS);
        List<KeepLoadEven.Done> done = balance.round();
        assertThat(done).allMatch(KeepLoadEven.Done::moved);
        return done.stream().map(KeepLoadEven.Done::move).toList();
    }

    private Map<Integer, Integer> partitionsByContainer() {
        Map<Integer, Integer> counts = new TreeMap<>();
        Topic topic = Objects.requireNonNull(broker.catalogue().find(NAME));
        topic.partitions().forEach(at -> counts.merge(at.container(), 1, Integer::sum));
        return counts;
    }

    @Test
    void aHotContainerGivesPartitionsAwayUntilAllAreEven() throws Exception {
        broker.createTopic(NAME, PARTITIONS, true);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            broker.catalogue().move(NAME, partition, 5).join();
        }
        assertThat(partitionsByContainer()).isEqualTo(Map.of(5, PARTITIONS));

        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < 60_000 / ROUND_MILLIS; i++) {
            moves.addAll(round(false));
        }
        assertThat(partitionsByContainer())
                .hasSize(8)
                .allSatisfy((container, count) -> assertThat(count).isBetween(1, 3));
        assertThat(moves).hasSizeBetween(13, 15).allSatisfy(move -> {
            assertThat(move.from()).isEqualTo(5);
            assertThat(move.reason()).contains("container 5 writes ", "the mean is ");
        });
        assertThat(moves.stream().map(Move::partition)).doesNotHaveDuplicates();
        for (int i = 0; i < 8; i++) {
            assertThat(round(false)).isEmpty();
        }
        assertThat(balance.view().sample().unevenness()).isBetween(1.0, 1.5);
        assertThat(balance.view().moves())
                .extracting(KeepLoadEven.Done::move)
                .containsExactlyElementsOf(moves.reversed());
    }

    @Test
    void whatIsPlacedEvenlyStays() throws Exception {
        broker.createTopic(NAME, PARTITIONS, true);
        for (int i = 0; i < 10; i++) {
            assertThat(round(false)).isEmpty();
        }
        assertThat(balance.view().sample().unevenness()).isBetween(1.0, 1.01);
        assertThat(balance.view().sample().containers())
                .hasSize(8)
                .allMatch(container -> container.rate().appends() > 100);
    }

    @Test
    void aTopicThatIsDeletedWhileItIsHotIsForgotten() throws Exception {
        broker.createTopic(NAME, PARTITIONS, true);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            broker.catalogue().move(NAME, partition, 0).join();
        }
        for (int i = 0; i < 2; i++) {
            assertThat(round(false)).isEmpty();
        }
        assertThat(balance.view().sample().unevenness()).isEqualTo(8);
        broker.catalogue().delete(NAME).join();
        for (int i = 0; i < 5; i++) {
            assertThat(round(true)).isEmpty();
            assertThat(balance.view().sample().unevenness()).isEqualTo(1);
        }
    }
}
