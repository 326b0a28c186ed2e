package io.sluice.pulsar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AckSetsTest {
    private static List<String> acked(int count, long... words) {
        List<String> runs = new ArrayList<>();
        AckSets.forEachAcked(words, 1000, count, (from, to) -> runs.add(from + "-" + to));
        return runs;
    }

    @Test
    void clearBitsAreAcknowledged() {
        assertThat(acked(8, 0b0001_1010)).containsExactly("1000-1000", "1002-1002", "1005-1007");
        assertThat(acked(4, 0b1111)).isEmpty();
        assertThat(acked(4)).containsExactly("1000-1003");
    }

    @Test
    void wordsLeftOutAreAcknowledged() {
        assertThat(acked(130, -1L)).containsExactly("1064-1129");
        assertThat(acked(130, 0, -1L)).containsExactly("1000-1063", "1128-1129");
    }

    @Test
    void bitsPastTheBatchDoNotCount() {
        assertThat(acked(3, 0b1111_1110)).containsExactly("1000-1000");
        assertThat(AckSets.unacked(new long[] {0b1111_1110}, 3)).isEqualTo(3);
    }

    @Test
    void findsTheFirstThatIsNotAcknowledged() {
        assertThat(AckSets.firstUnacked(new long[] {0, 0b100})).isEqualTo(66);
        assertThat(AckSets.firstUnacked(new long[] {0})).isEqualTo(-1);
    }

    @Test
    void isNullWhenNothingIsAcknowledged() {
        assertThat(AckSets.from(10, 5, o -> false)).isNull();
        assertThat(AckSets.from(10, 5, o -> o == 11 || o == 14)).containsExactly(0b01101);
        assertThat(AckSets.from(10, 5, o -> true)).isEmpty();
    }
}
