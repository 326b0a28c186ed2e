package io.sluice.tiering.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ReadPolicyTest {
    private static final int MIB = 1 << 20;
    private static final ReadPolicy POLICY = new ReadPolicy(MIB, 4 * MIB, 8, 4096, 32 * MIB, 64 * MIB, 5_000, 5);

    @Test
    void aWindowGrowsWithWhatItsReaderHasRead() {
        assertThat(POLICY.window(64 << 10, 1)).isEqualTo(256 << 10);
        assertThat(POLICY.window(MIB, 1)).isEqualTo(4 * MIB);
        assertThat(POLICY.window(100 * MIB, 1)).isEqualTo(32 * MIB);
    }

    @Test
    void readersShareTheBudget() {
        assertThat(POLICY.window(100 * MIB, 8)).isEqualTo(8 * MIB);
        assertThat(POLICY.ahead(0).window(100 * MIB, 1)).isZero();
    }

    @Test
    void aPieceLeavesOthersOfItsWindowToBeUnderWay() {
        assertThat(POLICY.pieceWithin(256 << 10)).isEqualTo(MIB);
        assertThat(POLICY.pieceWithin(8 * MIB)).isEqualTo(2 * MIB);
        assertThat(POLICY.pieceWithin(32 * MIB)).isEqualTo(4 * MIB);
        assertThat(ReadPolicy.LOCAL.pieceWithin(4 * MIB)).isEqualTo(MIB);
    }

    @Test
    void refusesBoundsThatContradictEachOther() {
        assertThatThrownBy(() -> new ReadPolicy(MIB, MIB / 2, 8, 4096, 32 * MIB, 64 * MIB, 5_000, 5))
                .hasMessageContaining("not smaller");
    }
}
