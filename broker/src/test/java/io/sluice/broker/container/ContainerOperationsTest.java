package io.sluice.broker.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.container.CreateSegments.NewSegment;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.log.open.Handover;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.net.TestPeers;
import io.sluice.broker.topic.step.Arrival;
import io.sluice.broker.topic.step.Arrive;
import io.sluice.broker.topic.step.AtPartition;
import io.sluice.broker.topic.step.FindSubscriptions;
import io.sluice.broker.topic.step.Forget;
import io.sluice.broker.topic.step.IsLeaving;
import io.sluice.broker.topic.step.Leave;
import io.sluice.broker.topic.step.PartitionEnd;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.broker.topic.step.PartitionSubscriptionNames;
import io.sluice.broker.topic.step.SubscribeFromStart;
import io.sluice.broker.topic.step.SubscribePartition;
import io.sluice.broker.topic.step.TopicSteps;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import io.sluice.testing.ExpectedLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract of steps in containers: the same in one that is served here, and in one that another node serves. */
@ExpectedLog("A question of kind 2 of another node could not be answered")
class ContainerOperationsTest {
    private static final int FROM = 0;
    private static final int TO = 1;
    private static final UUID TOPIC = new UUID(1, 2);

    /** Where the containers are served. */
    enum Where {
        HERE,
        ELSEWHERE
    }

    private final OpenPartitions open = new OpenPartitions();
    private final PartitionRiderFactory riders = new PartitionRiderFactory(ProducerLimits.DEFAULT, open);
    private final InMemoryContainers containers =
            InMemoryContainers.withLoops(2, riders, System::currentTimeMillis).start();
    private final InMemoryContainers none =
            InMemoryContainers.withLoops(2, new PartitionRiderFactory(ProducerLimits.DEFAULT, open), () -> 0);
    private final TestPeers peers = new TestPeers();

    @AfterEach
    void close() {
        peers.close();
        none.close();
        containers.close();
    }

    private ContainerOperations operations(Where where) {
        return operations(where, Duration.ZERO);
    }

    private ContainerOperations operations(Where where, Duration ownerless) {
        if (where == Where.HERE) {
            return new RoutedOperations(
                    containers, new SingleNode("steps", 1), peers.start(1, new PeerHandlers()), ownerless);
        }
        PeerHandlers handlers = new PeerHandlers();
        StepHandler.register(
                handlers,
                containers,
                TopicSteps.all(new PartitionSteps()),
                StepGuard.NONE,
                task -> Thread.ofVirtual().start(task));
        peers.start(2, handlers);
        return new RoutedOperations(none, new OwnedByTwo(), peers.start(1, new PeerHandlers()), ownerless);
    }

    private static final class OwnedByTwo implements Cluster {
        private final Cluster self = new SingleNode("steps", 1);

        @Override
        public String id() {
            return self.id();
        }

        @Override
        public ClusterNode self() {
            return self.self();
        }

        @Override
        public List<ClusterNode> nodes() {
            return List.of(self(), new ClusterNode(2, Map.of()));
        }

        @Override
        public ClusterNode ownerOf(int container) {
            return new ClusterNode(2, Map.of());
        }

        @Override
        public void advertise(String listener, Endpoint endpoint) {}

        @Override
        public void onChange(Runnable listener) {}

        @Override
        public void offChange(Runnable listener) {}
    }

    private static <T> T done(CompletableFuture<T> answer) {
        try {
            return answer.get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Throwable failure(CompletableFuture<?> answer) {
        return StoreException.causeOf(catchThrowable(() -> answer.get(60, TimeUnit.SECONDS)));
    }

    private static StoreFailure declined(CompletableFuture<?> answer) {
        Throwable why = failure(answer);
        assertThat(why).isInstanceOf(StoreException.class);
        return ((StoreException) why).failure();
    }

    private static NewSegment partition(long segment) {
        return TopicSteps.segment(segment, new PartitionAttributes("t", TOPIC, 0));
    }

    private static NewSegment successor(long segment, long partitionId) {
        return TopicSteps.segment(segment, new PartitionAttributes("t", TOPIC, 0, partitionId));
    }

    private @Nullable SegmentInfo info(int container, long segment) {
        return containers.onLoop(container, () -> containers.get(container).info(segment));
    }

    private void append(int container, long segment, int entries, int bytes) {
        PartitionLog log = Objects.requireNonNull(open.find(segment));
        Answers answers = new Answers();
        for (int i = 0; i < entries; i++) {
            containers.onLoop(container, () -> {
                log.append(TestEntries.plain(1, bytes, 5), answers);
                return null;
            });
            assertThat(answers.await()).startsWith("appended");
        }
    }

    @ParameterizedTest
    @EnumSource
    void makesAndDeletesSegmentsAndMayBeAskedAgain(Where where) {
        ContainerOperations operations = operations(where);
        var create = new CreateSegments(List.of(partition(7), partition(8)));
        done(operations.ask(FROM, create));
        append(FROM, 7, 1, 10);
        done(operations.ask(FROM, create));
        assertThat(Objects.requireNonNull(info(FROM, 7)).durableLength()).isPositive();
        assertThat(info(FROM, 8)).isNotNull();
        MissingSegments.Found found = done(operations.ask(FROM, new MissingSegments(List.of(7L, 9L))));
        assertThat(found.missing()).containsExactly(9L);
        assertThat(found.term()).isEqualTo(containers.get(FROM).term());
        assertThat(done(operations.ask(FROM, new StoredLength(7)))).isZero();
        assertThat(done(operations.ask(FROM, new StoredLength(9)))).isEqualTo(Long.MAX_VALUE);
        var delete = new DeleteSegments(List.of(7L, 8L, 9L));
        done(operations.ask(FROM, delete));
        done(operations.ask(FROM, delete));
        assertThat(info(FROM, 7)).isNull();
        assertThat(info(FROM, 8)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void readsAndTruncates(Where where) {
        ContainerOperations operations = operations(where);
        done(operations.ask(FROM, new CreateSegments(List.of(partition(7)))));
        append(FROM, 7, 4, 300_000);
        SegmentInfo all = Objects.requireNonNull(info(FROM, 7));
        ByteBuf expected = Unpooled.buffer();
        for (long at = 0; at < all.durableLength(); ) {
            ByteBuf piece = done(operations.ask(FROM, new ReadSegment(7, at, ReadSegment.MOST_BYTES)));
            assertThat(piece.readableBytes()).isBetween(1, ReadSegment.MOST_BYTES);
            at += piece.readableBytes();
            expected.writeBytes(piece);
            piece.release();
        }
        assertThat((long) expected.readableBytes()).isEqualTo(all.durableLength());
        ByteBuf some = done(operations.ask(FROM, new ReadSegment(7, 5, 20)));
        assertThat(ByteBufUtil.getBytes(some)).isEqualTo(ByteBufUtil.getBytes(expected, 5, 20));
        some.release();
        assertThat(containers.lentBuffers()).isZero();

        var past = new ReadSegment(7, all.durableLength(), 1);
        assertThat(declined(operations.ask(FROM, past))).isInstanceOfSatisfying(StoreFailure.OutOfRange.class, why -> {
            assertThat(why.segment()).isEqualTo(7);
            assertThat(why.position()).isEqualTo(all.durableLength());
        });
        done(operations.ask(FROM, new TruncateSegment(7, 1_000)));
        done(operations.ask(FROM, new TruncateSegment(7, 900)));
        assertThat(Objects.requireNonNull(info(FROM, 7)).start()).isEqualTo(1_000);
        done(operations.ask(FROM, new TruncateSegment(99, 1_000)));
        assertThat(declined(operations.ask(FROM, new ReadSegment(99, 0, 1))))
                .isInstanceOf(StoreFailure.NoSuchSegment.class);
    }

    @ParameterizedTest
    @EnumSource
    void carriesAPartitionOverAndMayRepeatEachStep(Where where) {
        ContainerOperations operations = operations(where);
        done(operations.ask(FROM, new CreateSegments(List.of(partition(7)))));
        append(FROM, 7, 3, 1_000);
        done(operations.ask(FROM, new SubscribeFromStart(List.of(partition(7)), Map.of("s", Map.of("k", "v")))));
        done(operations.ask(TO, new CreateSegments(List.of(successor(8, 7)))));
        assertThat(done(operations.ask(FROM, new IsLeaving(7)))).isFalse();
        assertThat(done(operations.ask(TO, new Arrival(8)))).isEmpty();

        Leave.Left tooLarge = done(operations.ask(FROM, new Leave(7, List.of(), 5)));
        assertThat(tooLarge.state()).isNull();
        assertThat(tooLarge.bytes()).isGreaterThan(5);
        append(FROM, 7, 1, 10);

        Leave leave = new Leave(7, List.of(partition(7)), Integer.MAX_VALUE);
        done(operations.ask(FROM, leave));
        Handover.State state =
                Objects.requireNonNull(done(operations.ask(FROM, leave)).state());
        assertThat(state.bytes().readableBytes()).isPositive();
        assertThat(done(operations.ask(FROM, new IsLeaving(7)))).isTrue();

        Arrive arrive = Arrive.of(8, FROM, state);
        Handover.Arrived arrived = done(operations.ask(TO, arrive));
        assertThat(arrived.earlier()).containsExactly(new SegmentPlace(FROM, 7));
        assertThat(done(operations.ask(TO, arrive))).isEqualTo(arrived);
        assertThat(done(operations.ask(TO, new Arrival(8)))).contains(arrived);
        PartitionLog log = Objects.requireNonNull(open.find(8));
        assertThat(containers.<Long>onLoop(TO, log::durableEnd)).isEqualTo(4);
        assertThat(done(operations.ask(TO, new FindSubscriptions(List.of(8L), false)))
                        .properties())
                .isEqualTo(Map.of("s", Map.of("k", "v")));
        append(TO, 8, 1, 10);

        done(operations.ask(FROM, new Forget(7)));
        done(operations.ask(FROM, new Forget(7)));
        assertThat(open.leaving()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void findsAndMakesSubscriptionsOfNewPartitions(Where where) {
        ContainerOperations operations = operations(where);
        Map<String, Map<String, String>> wanted = Map.of("a", Map.of("x", "y"), "b", Map.of());
        var subscribe = new SubscribeFromStart(List.of(partition(7), partition(8)), wanted);
        assertThat(done(operations.ask(FROM, subscribe))).isNegative();
        assertThat(done(operations.ask(FROM, subscribe))).isNegative();
        FindSubscriptions.Found found = done(operations.ask(FROM, new FindSubscriptions(List.of(7L, 8L, 9L), true)));
        assertThat(found.isComplete()).isTrue();
        assertThat(found.properties()).isEqualTo(wanted);
        FindSubscriptions.Found missing = done(operations.ask(FROM, new FindSubscriptions(List.of(7L, 9L), false)));
        assertThat(missing.isComplete()).isFalse();
        assertThat(missing.notHere()).isEqualTo(9);
        done(operations.ask(FROM, new CreateSegments(List.of(successor(10, 7)))));
        assertThat(done(operations.ask(FROM, new SubscribeFromStart(List.of(successor(10, 7)), wanted))))
                .isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource
    void asksAndEndsAPartition(Where where) {
        ContainerOperations operations = operations(where);
        assertThat(done(operations.ask(FROM, at(7, PartitionEnd.IS_TERMINATED))))
                .isFalse();
        assertThat(done(operations.ask(FROM, at(7, new PartitionSubscriptionNames()))))
                .isEmpty();
        assertThat(info(FROM, 7)).isNull();
        Map<String, Map<String, String>> wanted = Map.of("s", Map.of("k", "v"), "x".repeat(40_000), Map.of());
        Map<String, String> refused =
                done(operations.ask(FROM, at(7, new SubscribePartition(wanted, SubscriptionStart.END))));
        assertThat(refused).containsOnlyKeys("x".repeat(40_000));
        assertThat(done(operations.ask(FROM, at(7, new PartitionSubscriptionNames()))))
                .isEqualTo(Map.of("s", Map.of("k", "v")));
        assertThat(done(operations.ask(FROM, at(7, PartitionEnd.TERMINATE)))).isTrue();
        assertThat(done(operations.ask(FROM, at(7, PartitionEnd.TERMINATE)))).isTrue();
        assertThat(done(operations.ask(FROM, at(7, PartitionEnd.IS_TERMINATED))))
                .isTrue();
        assertThat(done(operations.ask(FROM, at(7, PartitionEnd.IS_SPENT)))).isTrue();
        done(operations.ask(FROM, new Leave(7, List.of(), Integer.MAX_VALUE)));
        assertThat(declined(operations.ask(FROM, at(7, PartitionEnd.IS_TERMINATED))))
                .isInstanceOf(StoreFailure.NotOwner.class);
    }

    private static <T> AtPartition<T> at(long segment, PartitionStep<T> step) {
        return new AtPartition<>(partition(segment), true, step);
    }

    @ParameterizedTest
    @EnumSource
    void tellsThatTheContainerIsNotServed(Where where) {
        ContainerOperations operations = operations(where);
        assertThat(operations.isServed(FROM)).isTrue();
        containers.stop(FROM);
        assertThat(declined(operations.ask(FROM, new IsLeaving(7)))).isInstanceOf(StoreFailure.NotOwner.class);
        done(operations.ask(TO, new CreateSegments(List.of(partition(7)))));
    }

    @Test
    void waitsForTheNextOwnerOfAContainer() {
        ContainerOperations operations = operations(Where.ELSEWHERE, Duration.ofMinutes(1));
        containers.stop(FROM);
        CompletableFuture<Boolean> create = operations.ask(FROM, new CreateSegments(List.of(partition(7))));
        done(operations.ask(TO, new CreateSegments(List.of(partition(8)))));
        assertThat(create).isNotDone();
        containers.start(FROM);
        assertThat(done(create)).isTrue();
        assertThat(info(FROM, 7)).isNotNull();
    }

    @ParameterizedTest
    @EnumSource
    void repeatsAStepWhoseTermEndedBeforeItWasDurable(Where where) {
        ContainerOperations operations = operations(where, Duration.ofMinutes(1));
        containers.get(FROM).hold();
        CompletableFuture<Boolean> create = operations.ask(FROM, new CreateSegments(List.of(partition(7))));
        while (info(FROM, 7) == null) {
            Thread.onSpinWait();
        }
        containers.stop(FROM);
        assertThat(create).isNotDone();
        containers.start(FROM);
        assertThat(done(create)).isTrue();
        assertThat(info(FROM, 7)).isNotNull();
    }

    @ParameterizedTest
    @EnumSource
    void tellsThatTheTermEndedBeforeAStepWasDurable(Where where) {
        ContainerOperations operations = operations(where);
        containers.get(FROM).hold();
        CompletableFuture<Boolean> create = operations.ask(FROM, new CreateSegments(List.of(partition(7))));
        while (info(FROM, 7) == null) {
            Thread.onSpinWait();
        }
        assertThat(create).isNotDone();
        containers.stop(FROM);
        assertThat(declined(create)).isInstanceOf(StoreFailure.NotOwner.class);
    }

    @ParameterizedTest
    @EnumSource
    void aStepThatBreaksIsADefect(Where where) {
        ContainerOperations operations = operations(where);
        CompletableFuture<Leave.Left> leave = operations.ask(FROM, new Leave(99, List.of(), Integer.MAX_VALUE));
        assertThat(failure(leave))
                .isInstanceOf(IllegalStateException.class)
                .isNotInstanceOf(StoreException.class)
                .hasMessageContaining("no rider on segment 99");
        done(operations.ask(FROM, new CreateSegments(List.of(partition(7)))));
    }
}
