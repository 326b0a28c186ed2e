package io.sluice.broker.scalable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SplitSimTest {
    private static final int SEEDS = Integer.getInteger("sim.splits", 200);
    private static final int ROUNDS = 12;

    @Test
    void nothingIsLostDoubledOrOutOfOrderWhereverASplitOrAMergeIsCutShort() {
        AtomicInteger changes = new AtomicInteger();
        AtomicInteger messages = new AtomicInteger();
        AtomicInteger transactions = new AtomicInteger();
        AtomicInteger late = new AtomicInteger();
        AtomicInteger failures = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        AtomicInteger losses = new AtomicInteger();
        Set<String> crashes = new ConcurrentSkipListSet<>();
        LongStream.rangeClosed(1, SEEDS).parallel().forEach(seed -> {
            try (SplitSim sim = new SplitSim(seed, SplitSimBug.NONE)) {
                sim.run(ROUNDS);
                changes.addAndGet(sim.changes());
                messages.addAndGet(sim.messages());
                transactions.addAndGet(sim.transactions());
                late.addAndGet(sim.lateSubscriptions());
                failures.addAndGet(sim.failures());
                others.addAndGet(sim.otherChanges());
                losses.addAndGet(sim.losses());
                crashes.addAll(sim.crashes());
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
        assertThat(changes.get()).isGreaterThan(4 * SEEDS);
        assertThat(messages.get()).isGreaterThan(50 * SEEDS);
        assertThat(transactions.get()).isGreaterThan(5 * SEEDS);
        assertThat(late.get()).isGreaterThan(SEEDS);
        assertThat(failures.get()).isGreaterThan(SEEDS / 2);
        assertThat(others.get()).isGreaterThan(SEEDS / 3);
        assertThat(losses.get()).isGreaterThan(SEEDS / 6);
        assertThat(crashes).as("every step was cut short").containsAll(steps());
    }

    private static Set<String> steps() {
        Set<String> steps = new TreeSet<>();
        for (String change : new String[] {"migrate", "split", "merge", "renew"}) {
            for (String step : new String[] {"put", "make", "seal", "ask for subscriptions", "subscribe"}) {
                steps.add(change + ": before " + step);
                steps.add(change + ": after " + step);
            }
            steps.add(change + ": while waiting in seal");
            steps.add(change + ": while waiting in subscribe");
        }
        for (String step : new String[] {"look what is left", "put", "delete"}) {
            steps.add("clean: before " + step);
            steps.add("clean: after " + step);
        }
        for (String step : new String[] {"put", "look at the seal", "make", "seal", "subscribe", "delete"}) {
            steps.add("start: before " + step);
            steps.add("start: after " + step);
        }
        return steps;
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(SplitSimBug bug) {
        assertThat(LongStream.range(bug.firstSeed(), bug.firstSeed() + 100).anyMatch(seed -> isFound(seed, bug)))
                .isTrue();
    }

    private static boolean isFound(long seed, SplitSimBug bug) {
        try (SplitSim sim = new SplitSim(seed, bug)) {
            sim.run(ROUNDS);
            return false;
        } catch (AssertionError found) {
            return true;
        } catch (Exception e) {
            throw new AssertionError("seed " + seed, e);
        }
    }
}
