package io.sluice.store.container;

import static io.sluice.store.container.ContainerRig.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.pressure.PressureConfig;
import io.sluice.store.read.ReadConfig;
import io.sluice.store.tier.InMemoryTier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A container that leaves in good order has its log stored first, and goes on serving until then. */
class DepartureTest {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final int ENTRY = 10 * KIB;

    private boolean storageIsAway;
    private final ContainerRig rig = new ContainerRig();

    DepartureTest() {
        rig.config = new ContainerConfig(
                new ContainerConfig.Log(64 * KIB, 4, 4 * MIB, 32 * MIB, 64 * MIB),
                256 * KIB,
                2_000_000,
                1_000_000,
                PressureConfig.DEFAULT,
                ReadConfig.DEFAULT);
        rig.tierFaults = new InMemoryTier.Faults() {
            @Override
            public boolean flush(long untiered, double pressure) {
                return untiered > 0 && pressure >= 1;
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

    private List<ContainerRig.Outcome> append(int from, int count) {
        List<ContainerRig.Outcome> outcomes = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            outcomes.add(rig.append(1, random(i, ENTRY)));
            rig.pass(1_000);
        }
        return outcomes;
    }

    private boolean isOver() {
        return rig.container().finished();
    }

    private RecoveryTimes next(int entries) {
        rig.open();
        assertThat(rig.readAll(1, 0, (long) entries * ENTRY)).hasSize(entries * ENTRY);
        for (int i = 0; i < entries; i++) {
            assertThat(rig.readAll(1, (long) i * ENTRY, (i + 1L) * ENTRY)).isEqualTo(random(i, ENTRY));
        }
        return Objects.requireNonNull(rig.container().recoveryTimes());
    }

    @Test
    void theNextOwnerReadsOneShortLedger() {
        append(0, 100);
        rig.settle();
        rig.container().leave();
        int written = 100;
        while (!isOver()) {
            rig.container().leave();
            if (rig.events.size() == 1) {
                append(written, 1);
                written++;
            }
            rig.pass(1_000);
            assertThat(written).as("it ends before long").isLessThan(200);
        }
        assertThat(written).as("served until then").isGreaterThan(100);
        assertThat(rig.events).containsExactly("serving 1", "stopped 1: closed");

        RecoveryTimes times = next(100);
        assertThat(times.ledgers()).isEqualTo(1);
        assertThat(times.bytes()).isLessThan(100L * ENTRY / 2);
    }

    @Test
    void longTermStorageThatIsAwayHoldsNobodyUp() {
        storageIsAway = true;
        append(0, 100);
        rig.settle();
        long began = rig.now;
        rig.container().leave();
        List<ContainerRig.Outcome> meanwhile = append(100, 5);
        rig.settle();
        assertThat(meanwhile).allMatch(each -> each.result.equals("durable"));
        while (!isOver()) {
            rig.pass(10_000);
        }
        assertThat(rig.now - began).isBetween(Departure.LONGEST_MICROS, Departure.LONGEST_MICROS + 1_000_000);
        assertThat(next(105).bytes()).isGreaterThan(105L * ENTRY);
    }

    @Test
    void aShortLogIsLeftAsItIs() {
        append(0, 3);
        rig.settle();
        List<Long> chain = rig.wal.chain(ContainerRig.CONTAINER);
        rig.container().leave();
        rig.settle();
        assertThat(isOver()).isTrue();
        assertThat(rig.wal.chain(ContainerRig.CONTAINER)).isEqualTo(chain);
        assertThat(next(3).ledgers()).isEqualTo(1);
    }
}
