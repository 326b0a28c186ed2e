package io.sluice.store.container;

import static io.sluice.store.container.ContainerRig.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.sluice.store.pressure.PressureConfig;
import io.sluice.store.read.ReadConfig;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import io.sluice.testing.ExpectedLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@ExpectedLog({"could not be recovered: a log record of", "A task failed on the loop"})
class ContainerTest {
    private final ArrayDeque<Runnable> answers = new ArrayDeque<>();
    private boolean holdAnswers;
    private final InMemoryWalStore wal = new InMemoryWalStore(new InMemoryWalStore.Faults() {
        @Override
        public void answer(Runnable delivery) {
            if (holdAnswers) {
                answers.add(delivery);
            } else {
                delivery.run();
            }
        }
    });
    private final ContainerRig rig = new ContainerRig(wal);

    @AfterEach
    void stop() {
        holdAnswers = false;
        answers.forEach(Runnable::run);
        answers.clear();
        rig.close();
    }

    @Test
    void servesAfterItsFirstCheckpointIsDurable() {
        holdAnswers = true;
        rig.open();
        assertThat(rig.events).isEmpty();
        answers.remove().run();
        rig.settle();
        assertThat(rig.events).containsExactly("serving 1");
    }

    @Test
    void showsBytesOnlyWhenDurable() {
        rig.open();
        rig.create(5);
        holdAnswers = true;
        ContainerRig.Outcome outcome = rig.append(5, random(1, 1000));
        rig.settle();
        assertThat(outcome.result).isEqualTo("pending");
        SegmentInfo info = info(5);
        assertThat(info.length()).isEqualTo(1000);
        assertThat(info.durableLength()).isZero();
        assertThat(rig.read(5, 0, 10)).isEqualTo("OutOfRange");
        assertThat(rider(5).durableLength).isEqualTo(-1);

        answers.remove().run();
        rig.settle();
        assertThat(outcome.result).isEqualTo("durable");
        assertThat(info(5).durableLength()).isEqualTo(1000);
        assertThat(rider(5).durableLength).isEqualTo(1000);
        assertThat(rig.read(5, 0, 5000)).isEqualTo(random(1, 1000));
        assertThat(rig.read(5, 990, 5)).isEqualTo(Arrays.copyOfRange(random(1, 1000), 990, 995));
        assertThat(rig.read(5, 1000, 1)).isEqualTo("OutOfRange");
        assertThat(rig.read(6, 0, 1)).isEqualTo("NoSuchSegment");
    }

    @Test
    void callsBackInSequencingOrder() {
        rig.open();
        rig.create(5);
        rig.create(6);
        holdAnswers = true;
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int number = i;
            rig.container()
                    .segments()
                    .append(5 + i % 2, Unpooled.wrappedBuffer(random(i, 20_000)), told(order, number));
            if (i % 10 == 0) {
                rig.pass(50);
            }
        }
        rig.container().segments().barrier(told(order, 200));
        rig.container().segments().note(5, Unpooled.copiedBuffer(new byte[10]), told(order, 201));
        while (order.size() < 202) {
            rig.pass(50);
            if (!answers.isEmpty()) {
                answers.remove().run();
            }
        }
        assertThat(order).isSorted().hasSize(202);
    }

    @Test
    void aBarrierWithNothingBeforeItIsAnsweredAtOnce() {
        rig.open();
        ContainerRig.Outcome outcome = new ContainerRig.Outcome();
        rig.container().segments().barrier(outcome);
        assertThat(outcome.result).isEqualTo("durable");
    }

    @Test
    void recoversBytesNotesAndRiders() {
        rig.open();
        rig.create(5);
        for (int i = 0; i < 50; i++) {
            rig.append(5, random(i, 1 + i * 997));
        }
        rig.container().segments().note(5, Unpooled.copiedBuffer(new byte[] {1, 2, 3}), new ContainerRig.Outcome());
        rig.settle();
        SegmentInfo before = info(5);
        ModelRider old = rider(5);
        byte[] bytes = rig.readAll(5, 0, before.length());

        rig.open();
        assertThat(info(5)).isEqualTo(before);
        assertThat(rider(5).hash).isEqualTo(old.hash);
        assertThat(rider(5).notes).isEqualTo(old.notes);
        assertThat(rider(5).durableLength).isEqualTo(before.length());
        assertThat(rig.readAll(5, 0, before.length())).isEqualTo(bytes);
    }

    @Test
    void aFencedOwnerStopsAndFailsWhoeverWaits() {
        rig.open();
        rig.create(5);
        Container first = rig.container();
        ModelRider firstRider = rider(5);
        rig.open();
        ContainerRig.Outcome append = new ContainerRig.Outcome();
        ContainerRig.Outcome barrier = new ContainerRig.Outcome();
        first.segments().append(5, Unpooled.wrappedBuffer(random(1, 100)), append);
        first.segments().barrier(barrier);
        Task queued = new Task();
        first.segments().schedule(1000, queued);
        rig.settle(first);
        assertThat(append.result).isEqualTo("failed NotOwner");
        assertThat(barrier.result).isEqualTo("failed NotOwner");
        assertThat(queued.abandoned).isInstanceOf(StoreFailure.NotOwner.class);
        assertThat(firstRider.closed).isInstanceOf(StoreFailure.NotOwner.class);
        assertThat(rig.events.getLast()).startsWith("stopped 1: another owner");
        assertThat(first.finished()).isTrue();
        Task late = new Task();
        first.segments().execute(late);
        assertThat(late.abandoned).isInstanceOf(StoreFailure.NotOwner.class);
        ContainerRig.Outcome lateAppend = new ContainerRig.Outcome();
        first.segments().append(5, Unpooled.wrappedBuffer(random(1, 100)), lateAppend);
        assertThat(lateAppend.result).isEqualTo("failed NotOwner");
        assertThat(info(5).length()).isZero();
    }

    @Test
    void takesLargeAppends() {
        rig.cacheBytes = 160 << 20;
        rig.config = new ContainerConfig(
                ContainerConfig.Log.DEFAULT,
                32 << 20,
                1_000_000,
                1_000_000,
                PressureConfig.DEFAULT,
                ReadConfig.DEFAULT);
        rig.open();
        rig.create(5);
        byte[] large = random(1, 20 << 20);
        byte[] small = random(2, 10);
        rig.append(5, small);
        ContainerRig.Outcome outcome = rig.append(5, large);
        rig.append(5, small);
        rig.settle();
        assertThat(outcome.result).isEqualTo("durable");
        assertThat(rig.readAll(5, 10, 10 + large.length)).isEqualTo(large);
        rig.open();
        assertThat(rig.readAll(5, 10, 10 + large.length)).isEqualTo(large);
        assertThat(info(5).length()).isEqualTo(20 + large.length);
        assertThatThrownBy(() -> rig.append(5, new byte[(32 << 20) + 1])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> rig.append(5, new byte[0])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> rig.append(99, new byte[1])).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aTornLastRecordIsDropped() {
        rig.open();
        rig.create(5);
        rig.append(5, random(1, 100));
        rig.settle();
        rig.append(5, random(2, 5 << 20));
        rig.settle();
        long ledger = wal.chain(ContainerRig.CONTAINER).getFirst();
        wal.cut(ContainerRig.CONTAINER, ledger, 2);
        rig.open();
        assertThat(info(5).length()).isEqualTo(100);
        assertThat(rig.readAll(5, 0, 100)).isEqualTo(random(1, 100));
        rig.open();
        assertThat(info(5).length()).isEqualTo(100);
    }

    @Test
    void aFlippedBitInTheLogIsNotServed() {
        rig.open();
        rig.create(5);
        rig.append(5, random(1, 100));
        rig.settle();
        long ledger = wal.chain(ContainerRig.CONTAINER).getFirst();
        wal.flip(ContainerRig.CONTAINER, ledger, wal.frames(ContainerRig.CONTAINER, ledger) - 1, 60);
        rig.open();
        assertThat(rig.events.getLast()).contains("recovery failed").contains("checksum");
    }

    @Test
    void sealsTruncatesAndDeletes() {
        rig.open();
        rig.create(5);
        rig.create(6);
        rig.append(5, random(1, 1000));
        rig.append(6, random(2, 1000));
        rig.settle();
        ContainerRig.Outcome[] outcomes = {
            new ContainerRig.Outcome(),
            new ContainerRig.Outcome(),
            new ContainerRig.Outcome(),
            new ContainerRig.Outcome(),
            new ContainerRig.Outcome()
        };
        ModelRider deleted = rider(6);
        rig.container().segments().truncate(5, 400, outcomes[0]);
        rig.container().segments().truncate(5, 300, outcomes[1]);
        rig.container().segments().seal(5, outcomes[2]);
        rig.container().segments().seal(5, outcomes[3]);
        rig.container().segments().delete(6, outcomes[4]);
        rig.settle();
        assertThat(outcomes).extracting(each -> each.result).containsOnly("durable");
        assertThat(deleted.closed).isInstanceOf(StoreFailure.NoSuchSegment.class);
        assertThatThrownBy(() -> rig.append(5, new byte[1])).isInstanceOf(IllegalStateException.class);
        assertThat(rig.container().segments().info(6)).isNull();
        assertThat(rig.read(5, 399, 10)).isEqualTo("OutOfRange");
        assertThat(rig.read(5, 400, 1)).isEqualTo(new byte[] {random(1, 1000)[400]});
        SegmentInfo before = info(5);
        rig.open();
        assertThat(info(5)).isEqualTo(before);
        assertThat(rig.container().segments().info(6)).isNull();
    }

    @Test
    void runsTimersInOrder() {
        rig.open();
        List<String> ran = new ArrayList<>();
        rig.container().segments().schedule(20, task(() -> ran.add("b")));
        rig.container().segments().schedule(10, task(() -> ran.add("a")));
        rig.container().segments().schedule(20, task(() -> ran.add("c")));
        rig.pass(9_000);
        assertThat(ran).isEmpty();
        rig.pass(11_000);
        assertThat(ran).containsExactly("a", "b", "c");
    }

    @Test
    void cancelledTimersDoNotRunAndHoldNothing() {
        rig.open();
        List<String> ran = new ArrayList<>();
        SegmentContainer segments = rig.container().segments();
        SegmentContainer.Scheduled first = segments.schedule(10, task(() -> ran.add("first")));
        for (int i = 0; i < 1_000; i++) {
            segments.schedule(60_000, task(() -> ran.add("cancelled"))).cancel();
        }
        SegmentContainer.Scheduled second = segments.schedule(20, task(() -> ran.add("second")));
        segments.schedule(30, task(() -> ran.add("third")));
        second.cancel();
        second.cancel();
        rig.pass(200_000);
        first.cancel();
        assertThat(ran).containsExactly("first", "third");
        assertThat(Objects.requireNonNull(rig.container().stats()).timers()).isZero();
        segments.schedule(60_000, task(() -> ran.add("late")));
        segments.schedule(60_000, task(() -> ran.add("later")));
        rig.pass(200_000);
        assertThat(Objects.requireNonNull(rig.container().stats()).timers()).isEqualTo(2);
    }

    @Test
    void aTaskThatThrowsHurtsNobodyElse() {
        rig.open();
        rig.create(5);
        List<String> ran = new ArrayList<>();
        rig.container().segments().execute(task(() -> {
            throw new IllegalStateException("planted");
        }));
        rig.container().segments().execute(task(() -> ran.add("next")));
        rig.settle();
        assertThat(ran).containsExactly("next");
        assertThat(rig.events).containsExactly("serving 1");
    }

    @Test
    void closingFinishesWhatIsInFlight() {
        rig.open();
        rig.create(5);
        holdAnswers = true;
        ContainerRig.Outcome outcome = rig.append(5, random(1, 10));
        rig.pass(10);
        rig.container().close();
        rig.pass(10);
        assertThat(outcome.result).isEqualTo("pending");
        Task task = new Task();
        rig.container().segments().execute(task);
        answers.remove().run();
        rig.pass(10);
        assertThat(outcome.result).isEqualTo("durable");
        assertThat(task.abandoned).isInstanceOf(StoreFailure.NotOwner.class);
        assertThat(rig.events.getLast()).isEqualTo("stopped 1: closed");
    }

    @Test
    void closingDoesNotWaitForALogThatIsSilent() {
        rig.open();
        rig.create(5);
        holdAnswers = true;
        ContainerRig.Outcome outcome = rig.append(5, random(1, 10));
        rig.pass(10);
        rig.container().close();
        rig.pass(10);
        rig.pass(rig.config.closeDeadlineMicros() + 10);
        assertThat(outcome.result).isEqualTo("failed NotOwner");
        assertThat(rig.container().finished()).isFalse();
    }

    private SegmentInfo info(long segment) {
        return Objects.requireNonNull(rig.container().segments().info(segment));
    }

    private ModelRider rider(long segment) {
        return (ModelRider) Objects.requireNonNull(rig.container().segments().rider(segment));
    }

    private static Durable told(List<Integer> order, int number) {
        return Durable.of(() -> order.add(number), why -> order.add(-1));
    }

    private static LoopTask task(Runnable run) {
        Task task = new Task();
        task.run = run;
        return task;
    }

    private static final class Task implements LoopTask {
        Runnable run = () -> {};

        @Nullable
        StoreFailure abandoned;

        @Override
        public void run() {
            run.run();
        }

        @Override
        public void abandoned(StoreFailure why) {
            abandoned = why;
        }
    }
}
