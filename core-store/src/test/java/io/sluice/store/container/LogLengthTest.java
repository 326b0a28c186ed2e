package io.sluice.store.container;

import static io.sluice.store.container.ContainerRig.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.tier.InMemoryTier;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log of many small frames stays short, for whoever has to read it. */
class LogLengthTest {
    private static final int ENTRY = 20;
    private static final long SECOND = 1_000_000;

    private boolean storageIsAway;
    private int hurries;
    private int urgentBefore;
    private int written;
    private final ContainerRig rig = new ContainerRig();

    @BeforeEach
    void start() {
        rig.tierFaults = new InMemoryTier.Faults() {
            @Override
            public boolean flush(long untiered, double pressure) {
                int urgent = pressure >= 1 ? 1 : 0;
                hurries += urgent > urgentBefore ? 1 : 0;
                urgentBefore = urgent;
                return untiered > 0 && urgent == 1;
            }

            @Override
            public void later(String what, Runnable step) {
                if (!storageIsAway) {
                    step.run();
                }
            }
        };
        rig.open();
        rig.create(1);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    /** Each append is a frame. */
    private void append(int count, long microsApart) {
        for (int i = 0; i < count; i++) {
            rig.append(1, random(written++, ENTRY));
            rig.pass(microsApart);
        }
    }

    private RecoveryTimes next() {
        rig.settle();
        rig.open();
        byte[] last = rig.readAll(1, (written - 1L) * ENTRY, (long) written * ENTRY);
        assertThat(last).isEqualTo(random(written - 1, ENTRY));
        return Objects.requireNonNull(rig.container().recoveryTimes());
    }

    @Test
    void aQuietContainerLeavesFewFrames() {
        append(100_000, 10_000);
        assertThat(hurries).as("once for some thousand frames").isBetween(8, 20);
        RecoveryTimes times = next();
        assertThat(times.frames()).isBetween(1L, LogLength.MOST_FRAMES + (long) LogLength.LEDGER_FRAMES);
    }

    @Test
    void fastWritersDoNotHurryStorageAllTheTime() {
        append(120_000, 500);
        assertThat(hurries).as("in a minute").isBetween(2, 7);
        assertThat(next().frames()).isLessThan(LogLength.PERIOD_MICROS / 500 + LogLength.MOST_FRAMES);
    }

    @Test
    void whileStorageIsAwayLedgersDoNotBecomeMany() {
        storageIsAway = true;
        append(200_000, 10_000);
        assertThat(rig.wal.chain(ContainerRig.CONTAINER)).hasSizeBetween(4, 24);
        assertThat(next().frames()).isGreaterThan(200_000);

        storageIsAway = false;
        append(5_000, 10_000);
        assertThat(next().frames()).isLessThan(LogLength.MOST_FRAMES);
    }

    @Test
    void aFewLargeFramesAreLeftAlone() {
        for (int i = 0; i < 1_000; i++) {
            rig.append(1, random(i, 1 << 10));
            rig.pass(SECOND);
        }
        assertThat(hurries).isZero();
        assertThat(rig.wal.chain(ContainerRig.CONTAINER)).hasSize(1);
    }
}
