package io.sluice.store.container;

import static io.sluice.store.container.ContainerRig.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.SegmentRiderFactory;
import io.sluice.store.segment.StoreFailure;
import io.sluice.testing.ExpectedLog;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What fails on the loop in a way that nobody expects: the term ends, everybody who waits is told, and the next term finds
 * in the log what was acknowledged and nothing that does not fit.
 */
@ExpectedLog({
    "A task failed when it was told that its turn will not come",
    "its state is not to be trusted",
    "an operation could not be applied and written",
    "The end of a term goes on though a step of it failed",
    "A callback failed after its operation became durable",
    "A task failed on the loop"
})
class BrokenTermTest {
    private static final int SEGMENT = 5;
    private static final int OTHER = 6;

    private final ContainerRig rig = new ContainerRig();
    /** Called in the rider's apply, before the operation is written to the log; plants the failure. */
    private Consumer<ByteBuf> planted = data -> {};

    BrokenTermTest() {
        rig.errorsEndTerms = true;
        rig.riders = (container, info, attributes, snapshot) ->
                new PlantedRider(ModelRider.create(container, info, attributes, snapshot));
    }

    @AfterEach
    void stop() {
        planted = data -> {};
        rig.close();
    }

    /** The append was applied to everything when its write to the frame fails. */
    @Test
    void whatFailsBetweenApplyAndTheFrameEndsTheTermAndRecoveryRebuildsTheState() {
        openWithAcknowledged(1000);
        planted = data -> {
            planted = none -> {};
            data.release(); // only borrowed
        };
        ContainerRig.Outcome lost = new ContainerRig.Outcome();
        // of two parts, which keeps its indices when it is released: applying goes well
        ByteBuf data = Unpooled.wrappedBuffer(random(2, 10), random(3, 10));
        Task task = new Task(() -> rig.container().segments().append(SEGMENT, data, lost));
        Task next = new Task(() -> rig.append(SEGMENT, random(3, 10)));
        rig.container().segments().execute(task);
        rig.container().segments().execute(next);
        rig.settle();

        assertThat(rig.events.getLast()).startsWith("stopped 1: internal error");
        assertThat(next.ran).isFalse();
        assertThat(next.abandoned).isInstanceOf(StoreFailure.NotOwner.class);
        recovers(1000);
    }

    /** What comes after a failed apply in the same turn must not reach the log, which lacks the operation it builds on. */
    @Test
    void nothingIsWrittenAfterAFailedApply() {
        openWithAcknowledged(1000);
        planted = data -> {
            planted = none -> {};
            throw new IllegalStateException("planted");
        };
        ContainerRig.Outcome after = new ContainerRig.Outcome();
        rig.container().segments().executeAppend(new Task(() -> {
            assertThatThrownBy(() -> rig.append(SEGMENT, random(2, 10))).hasMessage("planted");
            rig.append(SEGMENT, random(3, 10));
            // fills frames, so that they leave with what stands before it
            rig.container().segments().append(SEGMENT, Unpooled.wrappedBuffer(random(4, 3 << 20)), after);
        }));
        rig.settle();
        assertThat(rig.events.getLast()).startsWith("stopped 1: internal error");
        assertThat(after.result).isEqualTo("failed NotOwner");
        recovers(1000);
    }

    @Test
    void anErrorInARiderEndsTheTerm() {
        openWithAcknowledged(1000);
        ContainerRig.Outcome waiting = rig.append(OTHER, random(4, 10));
        planted = data -> {
            planted = none -> {};
            throw new NoClassDefFoundError("planted");
        };
        rig.container().segments().execute(new Task(() -> rig.append(SEGMENT, random(2, 10))));
        rig.settle();
        assertThat(rig.events.getLast()).startsWith("stopped 1: internal error");
        assertThat(waiting.result).isEqualTo("failed NotOwner");
        recovers(1000);
    }

    /** Each of those who wait hears once, whichever of them fails. */
    @Test
    void anErrorInACallbackEndsTheTermAndTheOthersAreTold() {
        openWithAcknowledged(1000);
        ContainerRig.Outcome before = rig.append(SEGMENT, random(2, 10));
        rig.container().segments().append(SEGMENT, Unpooled.wrappedBuffer(random(3, 10)), Durable.of(() -> {
            throw new AssertionError("planted");
        }));
        ContainerRig.Outcome after = rig.append(SEGMENT, random(4, 10));
        rig.settle();
        assertThat(before.result).isEqualTo("durable");
        assertThat(after.result).isEqualTo("durable");
        assertThat(rig.events.getLast()).startsWith("stopped 1: internal error");
        recovers(1030);
    }

    /** An end that goes wrong itself must not leave anybody waiting. */
    @Test
    void aTermEndsWhoeverFailsWhenHeIsTold() {
        openWithAcknowledged(1000);
        rig.container().segments().execute(new Task(() -> {
            rig.container()
                    .segments()
                    .append(SEGMENT, Unpooled.wrappedBuffer(random(3, 10)), Durable.of(() -> {}, why -> {
                        throw new AssertionError("planted");
                    }));
            throw new AssertionError("planted");
        }));
        Task throwing = new Task(() -> {});
        throwing.onAbandoned = () -> {
            throw new NoClassDefFoundError("planted");
        };
        Task last = new Task(() -> {});
        Task timer = new Task(() -> {});
        timer.onAbandoned = throwing.onAbandoned;
        Task append = new Task(() -> {});
        append.onAbandoned = throwing.onAbandoned;
        rig.container().segments().schedule(10_000, timer);
        rig.container().segments().execute(throwing);
        rig.container().segments().execute(last);
        rig.container().segments().executeAppend(append);
        Container ended = rig.container();
        rig.settle();
        assertThat(rig.events.getLast()).startsWith("stopped 1: internal error");
        assertThat(throwing.abandoned).isNotNull();
        assertThat(last.abandoned).isNotNull();
        assertThat(timer.abandoned).isNotNull();
        assertThat(append.abandoned).isNotNull();
        assertThat(ended.finished()).isTrue();
        recovers(1000);
    }

    /** Trying again would not help: whoever started the container is told, in one line. */
    @Test
    void aRiderThatDoesNotKnowItsSnapshotIsDamage() {
        openWithAcknowledged(1000);
        rig.container().close();
        rig.settle();
        SegmentRiderFactory known = rig.riders;
        rig.riders = (container, info, attributes, snapshot) -> {
            throw new IllegalStateException("a newer server wrote this partition: its snapshot has a part 9");
        };
        rig.open();
        assertThat(rig.events.getLast()).startsWith("stopped 2: recovery failed");
        assertThat(rig.container().damage())
                .contains("segment 5: a newer server wrote this partition: its snapshot has a part 9")
                .doesNotContain("\n");
        rig.riders = known;
        rig.open();
        assertThat(rig.events.getLast()).isEqualTo("serving 3");
    }

    private void openWithAcknowledged(int bytes) {
        rig.open();
        rig.create(SEGMENT);
        rig.create(OTHER);
        rig.append(SEGMENT, random(1, bytes));
        rig.settle();
    }

    private void recovers(long length) {
        assertThat(rig.container().finished()).isTrue();
        rig.open();
        assertThat(rig.events.getLast()).isEqualTo("serving 2");
        assertThat(rig.container().damage()).isNull();
        SegmentInfo info = Objects.requireNonNull(rig.container().segments().info(SEGMENT));
        assertThat(info.durableLength()).isEqualTo(length);
        assertThat(rig.readAll(SEGMENT, 0, 1000)).isEqualTo(random(1, 1000));
        ContainerRig.Outcome goesOn = rig.append(SEGMENT, random(9, 10));
        rig.settle();
        assertThat(goesOn.result).isEqualTo("durable");
    }

    private final class PlantedRider implements SegmentRider {
        private final SegmentRider rider;

        PlantedRider(SegmentRider rider) {
            this.rider = rider;
        }

        @Override
        public void applyAppend(long position, ByteBuf data) {
            int reader = data.readerIndex();
            rider.applyAppend(position, data);
            planted.accept(data.readerIndex(reader));
        }

        @Override
        public void applyNote(ByteBuf note) {
            rider.applyNote(note);
        }

        @Override
        public void durable(long length) {
            rider.durable(length);
        }

        @Override
        public void snapshot(ByteBuf out) {
            rider.snapshot(out);
        }

        @Override
        public void closed(StoreFailure why) {
            rider.closed(why);
        }
    }

    private static final class Task implements LoopTask {
        private final Runnable run;
        Runnable onAbandoned = () -> {};
        boolean ran;

        @Nullable
        StoreFailure abandoned;

        Task(Runnable run) {
            this.run = run;
        }

        @Override
        public void run() {
            ran = true;
            run.run();
        }

        @Override
        public void abandoned(StoreFailure why) {
            abandoned = why;
            onAbandoned.run();
        }
    }
}
