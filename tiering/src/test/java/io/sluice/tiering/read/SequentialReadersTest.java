package io.sluice.tiering.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tiering.read.SequentialReaders.Reader;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SequentialReadersTest {
    private final SequentialReaders readers = new SequentialReaders();

    @Test
    void whoAsksForWhatFollowsAnAnswerIsKnown() {
        assertThat(readers.at(1, 0)).isNull();
        readers.answered(null, 1, 0, 100);
        Reader first = reader(1, 100);
        assertThat(readers.at(1, 60)).as("dropped the end of the answer").isSameAs(first);
        assertThat(readers.at(1, 0)).as("begins anew").isNull();
        assertThat(readers.at(1, 101)).isNull();
        assertThat(readers.at(2, 100)).isNull();

        readers.answered(first, 1, 100, 180);
        assertThat(readers.at(1, 180)).isSameAs(first);
        assertThat(first.run()).isEqualTo(180);
        assertThat(readers.at(1, 100)).isNull();
    }

    @Test
    void whoReadsTheSameSegmentIsCompany() {
        readers.answered(null, 1, 0, 100);
        readers.answered(null, 2, 0, 100);
        Reader first = reader(1, 100);
        assertThat(readers.hasCompany(first)).isFalse();
        readers.answered(null, 1, 5_000, 5_100);
        assertThat(readers.hasCompany(first)).isTrue();
        assertThat(readers.hasCompany(reader(1, 5_100))).isTrue();
        assertThat(readers.hasCompany(reader(2, 100))).isFalse();
    }

    @Test
    void whoBeginsAgainCountsOnceUntilItGoesOn() {
        readers.answered(null, 1, 0, 100);
        readers.answered(null, 1, 0, 90);
        assertThat(readers.active()).isEqualTo(1);
        readers.answered(reader(1, 90), 1, 90, 200);
        assertThat(readers.at(1, 90)).as("another one that began there").isNull();
        readers.answered(null, 1, 90, 200);
        assertThat(readers.active()).isEqualTo(2);
    }

    @Test
    void tellsHowMuchOthersWereAnsweredMeanwhile() {
        readers.answered(null, 1, 0, 100);
        assertThat(readers.answeredSince(reader(1, 100))).isZero();
        readers.answered(null, 2, 0, 30);
        readers.answered(reader(2, 30), 2, 30, 40);
        assertThat(readers.answeredSince(reader(1, 100))).isEqualTo(40);
        readers.answered(reader(1, 100), 1, 100, 200);
        assertThat(readers.answeredSince(reader(1, 200))).isZero();
    }

    @Test
    void whoHasNotReadForLongIsNoCompanyAndAtLastForgotten() {
        readers.answered(null, 1, 5_000, 5_100);
        readers.answered(null, 1, 0, 1);
        for (int at = 1; at < 300; at++) {
            assertThat(readers.hasCompany(reader(1, at))).isEqualTo(at < 256);
            readers.answered(reader(1, at), 1, at, at + 1);
        }
        assertThat(readers.at(1, 5_100)).as("who goes on takes nobody's place").isNotNull();
        for (int other = 2; other < 16_400; other++) {
            readers.answered(null, other, 0, 1);
        }
        assertThat(readers.at(1, 300)).isNull();
        assertThat(readers.at(1, 5_100)).isNull();
        assertThat(readers.at(16_399, 1)).isNotNull();
    }

    @Test
    void whoHasToWaitUntilManyOthersWereAnsweredIsStillActive() {
        readers.answered(null, 5_000, 0, 1);
        for (int round = 0; round < 3; round++) {
            for (int segment = 0; segment < 1_000; segment++) {
                readers.answered(readers.at(segment, round), segment, round, round + 1);
            }
        }
        assertThat(readers.active()).as("with the one that has stopped").isEqualTo(1_001);
        readers.answered(null, 1, 9, 10);
        assertThat(readers.hasCompany(reader(1, 3))).isTrue();
        for (int segment = 2; segment < 1_000; segment++) {
            readers.answered(reader(segment, 3), segment, 3, 4);
            readers.answered(reader(segment, 4), segment, 4, 5);
        }
        assertThat(readers.active()).isEqualTo(1_001);
    }

    private Reader reader(long segment, long position) {
        return Objects.requireNonNull(readers.at(segment, position));
    }
}
