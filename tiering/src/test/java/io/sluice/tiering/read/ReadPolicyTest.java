package io.sluice.tiering.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ReadPolicyTest {
    private static final int MIB = 1 << 20;
    private static final ReadPolicy POLICY =
            new ReadPolicy(MIB, 4 * MIB, 8, 32, 16, 4096, MIB, 32 * MIB, 64 * MIB, 5_000, 5);

    @Test
    void aWindowGrowsWithWhatItsReaderHasRead() {
        assertThat(POLICY.window(64 << 10, 1, 0)).isEqualTo(256 << 10);
        assertThat(POLICY.window(MIB, 1, 0)).isEqualTo(4 * MIB);
        assertThat(POLICY.window(100 * MIB, 1, 0)).isEqualTo(32 * MIB);
    }

    @Test
    void readersShareTheBudget() {
        assertThat(POLICY.window(100 * MIB, 8, 0)).isEqualTo(8 * MIB);
        assertThat(POLICY.ahead(0).window(100 * MIB, 1, 0)).isZero();
        assertThat(POLICY.window(100 * MIB, 1, 64 * MIB)).isEqualTo(32 * MIB);
        assertThat(POLICY.window(100 * MIB, 1, 64 * MIB + 1))
                .as("comes back when it would be gone")
                .isZero();
    }

    @Test
    void aPieceLeavesOthersOfItsWindowToBeUnderWay() {
        assertThat(POLICY.pieceWithin(256 << 10)).isEqualTo(MIB);
        assertThat(POLICY.pieceWithin(8 * MIB)).isEqualTo(2 * MIB);
        assertThat(POLICY.pieceWithin(32 * MIB)).isEqualTo(4 * MIB);
        assertThat(ReadPolicy.LOCAL.pieceWithin(4 * MIB)).isEqualTo(MIB);
    }

    @Test
    void readersHaveSoMuchOfTheCacheEachThatItIsThereAtTheirNextTurn() {
        assertThat(POLICY.leastRead(64L * MIB, 1)).isEqualTo(MIB);
        assertThat(POLICY.leastRead(64L * MIB, 64)).isEqualTo(MIB / 2);
        assertThat(POLICY.leastRead(64L * MIB, 10_000)).isEqualTo(32 << 10);
    }

    @Test
    void readsAheadWithinTheRangeAndGoesOnBehindItIfAskedTo() {
        assertThat(wanted(200, 10, Long.MAX_VALUE)).isEqualTo(64);
        assertThat(wanted(200, 100, Long.MAX_VALUE)).isEqualTo(100);
        assertThat(wanted(490, 5, Long.MAX_VALUE)).isEqualTo(10);
        assertThat(wanted(490, 100, Long.MAX_VALUE)).isEqualTo(100);
    }

    @Test
    void readsOnlyUpToWhatIsCached() {
        assertThat(wanted(200, 10, 203)).isEqualTo(3);
        assertThat(wanted(200, 10, 230)).isEqualTo(30);
    }

    /** Of a range that ends at 500. */
    private static int wanted(long position, int maxBytes, long cachedFrom) {
        return ReadPolicy.wanted(maxBytes, 64, position, 500, cachedFrom);
    }

    @Test
    void smallRequestsMayBeMoreAtATime() {
        assertThat(POLICY.oneMore(7, 28 * MIB)).as("however large").isTrue();
        assertThat(POLICY.oneMore(8, 8 * MIB)).isTrue();
        assertThat(POLICY.oneMore(8, 8 * MIB + 1)).isFalse();
        assertThat(POLICY.oneMore(31, 1)).isTrue();
        assertThat(POLICY.oneMore(32, 1)).isFalse();
    }

    @Test
    void refusesBoundsThatContradictEachOther() {
        assertThatThrownBy(() -> new ReadPolicy(MIB, MIB / 2, 8, 32, 16, 4096, MIB, 32 * MIB, 64 * MIB, 5_000, 5))
                .hasMessageContaining("not smaller");
    }
}
