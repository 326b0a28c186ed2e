package io.sluice.store.container;

import static io.sluice.store.container.ContainerRig.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.tier.InMemoryTier;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A container whose log does not wait for the disks' sync. */
class DeferredContainerTest {
    private final ArrayDeque<Runnable> answers = new ArrayDeque<>();
    private boolean holdAnswers;
    private boolean crashed;
    private final InMemoryWalStore wal = new InMemoryWalStore(new InMemoryWalStore.Faults() {
        @Override
        public void answer(Runnable delivery) {
            if (holdAnswers) {
                answers.add(delivery);
            } else {
                delivery.run();
            }
        }

        @Override
        public boolean crashed() {
            return crashed;
        }
    });
    private final ContainerRig rig = new ContainerRig(wal);

    @BeforeEach
    void defer() {
        ContainerConfig usual = ContainerConfig.DEFAULT;
        rig.config = new ContainerConfig(
                usual.log().with(new Durability(Durability.Copies.ACK_QUORUM, Durability.Sync.DEFER)),
                usual.maxAppendBytes(),
                usual.appendDeadlineMicros(),
                usual.closeDeadlineMicros(),
                usual.pressure(),
                usual.reads());
        rig.tierFaults = new InMemoryTier.Faults() {};
    }

    @AfterEach
    void stop() {
        release();
        rig.close();
    }

    private void release() {
        holdAnswers = false;
        while (!answers.isEmpty()) {
            answers.remove().run();
        }
    }

    @Test
    void readersSeeWhatIsAcknowledgedAndTheTierGetsWhatIsForced() {
        rig.open();
        rig.create(5);
        holdAnswers = true;
        ContainerRig.Outcome outcome = rig.append(5, random(1, 1000));
        rig.settle();
        assertThat(outcome.result).isEqualTo("pending");
        answers.remove().run();
        rig.settle();
        assertThat(outcome.result).isEqualTo("durable");
        assertThat(rig.read(5, 0, 5000)).isEqualTo(random(1, 1000));
        assertThat(Inside.synced(rig.container(), 5)).isZero();
        assertThat(answers).isEmpty();

        rig.pass(LogSyncs.MOST_DELAY);
        assertThat(answers).as("the force").hasSize(1);
        assertThat(Inside.synced(rig.container(), 5)).isZero();
        answers.remove().run();
        rig.pass(50);
        assertThat(Inside.synced(rig.container(), 5)).isEqualTo(1000);
        release();
        rig.settle();
        rig.pass(2_000);
        rig.settle();
        assertThat(info().tieredLength()).isEqualTo(1000);
    }

    @Test
    void whatOthersBuildOnIsAnsweredWhenItIsForced() {
        rig.open();
        holdAnswers = true;
        ContainerRig.Outcome created = new ContainerRig.Outcome();
        rig.container().segments().create(5, ContainerRig.KIND, Unpooled.EMPTY_BUFFER, created);
        rig.settle();
        answers.remove().run();
        rig.settle();
        assertThat(created.result).isEqualTo("pending");
        assertThat(answers).as("forced at once").hasSize(1);
        answers.remove().run();
        rig.settle();
        assertThat(created.result).isEqualTo("durable");
    }

    @Test
    void aCrashTakesTheEndAndTheNextTermGoesOnThere() {
        rig.open();
        rig.create(5);
        rig.append(5, random(1, 1000));
        rig.settle();
        rig.pass(LogSyncs.MOST_DELAY);
        rig.settle();
        holdAnswers = true;
        ContainerRig.Outcome lost = rig.append(5, random(2, 500));
        rig.settle();
        answers.remove().run();
        rig.settle();
        assertThat(lost.result).isEqualTo("durable");
        assertThat(info().durableLength()).isEqualTo(1500);

        crashed = true;
        holdAnswers = false;
        rig.open();
        assertThat(info().durableLength()).isEqualTo(1000);
        assertThat(rig.container().term()).isEqualTo(2);
        ContainerRig.Outcome next = rig.append(5, random(3, 700));
        rig.settle();
        assertThat(next.result).isEqualTo("durable");
        assertThat(rig.read(5, 1000, 5000)).isEqualTo(random(3, 700));
    }

    @TempDir
    private Path folder;

    /** The next term is of another process, which has the file only. */
    @Test
    void whatACrashTookIsTold() throws IOException {
        rig.ends = MappedEnds.open(folder.resolve("ends"));
        rig.open();
        rig.create(5);
        rig.create(6);
        rig.create(7);
        for (long segment = 5; segment <= 7; segment++) {
            rig.append(segment, random(segment, 1000));
        }
        rig.settle();
        rig.pass(LogSyncs.MOST_DELAY);
        rig.settle();
        holdAnswers = true;
        rig.append(5, random(2, 500));
        rig.append(6, random(2, 300));
        rig.settle();
        answers.remove().run();
        rig.settle();
        rig.append(5, random(2, 20));
        rig.container().segments().delete(7, Durable.IGNORED);
        rig.settle();

        crashed = true;
        holdAnswers = false;
        rig.ends = MappedEnds.open(folder.resolve("ends"));
        rig.events.clear();
        rig.open();
        assertThat(rig.events).contains("lost {5=500, 6=300}", "serving 2").doesNotContain("stopped 2");
        rig.append(6, random(4, 10));
        rig.settle();
        rig.pass(LogSyncs.MOST_DELAY);
        rig.settle();
        rig.events.clear();
        rig.open();
        assertThat(rig.events).noneMatch(event -> event.startsWith("lost")).contains("serving 3");
    }

    /** The file of this machine is older than what another has done since, which the log does not tell any more. */
    @Test
    void whatAnotherMachineDidMeanwhileIsNotTakenForALoss() throws IOException {
        rig.ends = MappedEnds.open(folder.resolve("here"));
        rig.open();
        rig.create(5);
        rig.create(6);
        rig.append(5, random(1, 1000));
        rig.settle();
        rig.ends = MappedEnds.open(folder.resolve("elsewhere"));
        rig.open();
        rig.container().segments().delete(5, Durable.IGNORED);
        rig.settle();
        rig.pass(LogSyncs.MOST_DELAY);
        rig.settle();
        rig.open();
        rig.settle();
        rig.pass(60_000_000);
        rig.settle();

        rig.ends = MappedEnds.open(folder.resolve("here"));
        rig.events.clear();
        rig.open();
        assertThat(rig.events).contains("serving 4").noneMatch(event -> event.startsWith("lost"));
    }

    @Test
    void closingLosesNothing() {
        rig.open();
        rig.create(5);
        ContainerRig.Outcome outcome = rig.append(5, random(1, 1000));
        rig.settle();
        assertThat(outcome.result).isEqualTo("durable");
        rig.container().close();
        rig.settle();
        crashed = true;
        rig.open();
        assertThat(info().durableLength()).isEqualTo(1000);
    }

    private SegmentInfo info() {
        return Objects.requireNonNull(rig.container().segments().info(5));
    }
}
