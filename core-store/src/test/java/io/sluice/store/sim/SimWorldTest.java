package io.sluice.store.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.store.wal.Durability;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimWorldTest {
    private static final int SEEDS = Integer.getInteger("sim.seeds", 45);
    /** Where another run left off, when many seeds are tried in several. */
    private static final long FIRST_SEED = Long.getLong("sim.first", 1);

    private static final int EVENTS = 3_000;

    private static final Durability DEFERRED = new Durability(Durability.Copies.ACK_QUORUM, Durability.Sync.DEFER);

    @Test
    void nothingPromisedIsBrokenInManyHistories() {
        LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS).parallel().forEach(SimWorldTest::run);
    }

    @Test
    void nothingThatWasForcedIsLostInHistoriesOfALogThatDefersTheSync() {
        LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS / 2).parallel().forEach(seed -> run(seed, DEFERRED));
    }

    /** Between the log's answer to an owner's first checkpoint and the owner's next turn another one came to serve. */
    @Test
    void anOwnerThatComesToServeAfterItsSuccessorGivesUp() {
        run(8_145);
    }

    /** Long-term storage never answers a read; nobody else could read that place any more either. */
    @Test
    void aReadThatIsNeverAnsweredIsGivenUp() {
        run(206);
    }

    /** The log never answers an append, here the first checkpoint of a term. */
    @Test
    void anAppendThatIsNeverAnsweredEndsTheTerm() {
        run(254);
    }

    /** What it was to write is then in nobody's hands. */
    @Test
    void aContainerWhoseLogThrowsFinishes() {
        run(13);
    }

    /** The next frame would be stored behind a hole. */
    @Test
    void nothingFollowsAFrameThatTheLogThrewAt() {
        run(17);
    }

    @Test
    void oneSeedIsOneHistory() {
        for (long seed : new long[] {7, 77}) {
            SimWorld first = new SimWorld(seed);
            SimWorld second = new SimWorld(seed);
            first.run(EVENTS);
            second.run(EVENTS);
            assertThat(second.trace()).isEqualTo(first.trace());
        }
        SimWorld other = new SimWorld(8);
        other.run(EVENTS);
        SimWorld one = new SimWorld(7);
        one.run(EVENTS);
        assertThat(other.trace()).isNotEqualTo(one.trace());
    }

    @ParameterizedTest
    @CsvSource({
        "LOG_LOSES_ACKNOWLEDGED_FRAMES, NoAcknowledgedAppendLost",
        "LOG_DOES_NOT_FENCE, OneWriter",
        "CHAIN_IS_NOT_READ_BACK, ChainIsWhole",
        "TIER_SPOILS_READS, ReadsAreWhatWasAppended",
        "TIER_DELETES_USED_OBJECTS, ManifestIsWhole",
        "MERGE_DELETES_AT_ONCE, ManifestIsWhole",
        "MERGE_MIXES_RANGES, ReadsAreWhatWasAppended",
        "RIDER_FORGETS_NOTES, RidersAreRebuilt"
    })
    void everyCheckerFindsItsPlantedBug(Bug bug, String checker) {
        finds(Durability.DEFAULT, bug, checker);
    }

    @ParameterizedTest
    @CsvSource({
        "LOG_DOES_NOT_FORCE, NoAcknowledgedAppendLost",
        "LOG_DOES_NOT_FORCE, TierIsOfferedWhatIsForced",
        "LOG_LOSES_ACKNOWLEDGED_FRAMES, NoAcknowledgedAppendLost"
    })
    void everyCheckerFindsItsPlantedBugInALogThatDefersTheSync(Bug bug, String checker) {
        finds(DEFERRED, bug, checker);
    }

    private static void finds(Durability durability, Bug bug, String checker) {
        for (long seed = 1; seed <= 30; seed++) {
            SimWorld world = new SimWorld(
                    seed,
                    durability,
                    bug,
                    each -> each.getClass().getSimpleName().equals(checker));
            try {
                world.run(EVENTS);
            } catch (Violation found) {
                if (found.checker().getSimpleName().equals(checker)) {
                    return;
                }
            } catch (AssertionError | RuntimeException otherTrouble) {
                // the planted bug may hurt elsewhere first; the checker has to see it in some history
                continue;
            }
        }
        fail("%s was not found by %s", bug, checker);
    }

    private static void run(long seed) {
        run(seed, Durability.DEFAULT);
    }

    private static void run(long seed, Durability durability) {
        try {
            new SimWorld(seed, durability, Bug.NONE, checker -> true).run(EVENTS);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }
}
