package io.sluice.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which phase of a fetch follows which. */
class FetchPhaseTest {
    @ParameterizedTest
    @EnumSource
    void nothingFollowsTheAnswer(FetchPhase next) {
        assertThatThrownBy(() -> FetchPhase.ANSWERED.to(next)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource
    void noneGoesBackToTheLookUp(FetchPhase from) {
        assertThatThrownBy(() -> from.to(FetchPhase.OPENING)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"OPENING", "PARKED"})
    void onlyARoundLeavesSomethingToFill(FetchPhase from) {
        assertThatThrownBy(() -> from.to(FetchPhase.FILLING)).isInstanceOf(IllegalStateException.class);
        assertThat(from.to(FetchPhase.READING_ONE).to(FetchPhase.FILLING)).isEqualTo(FetchPhase.FILLING);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ANSWERED")
    void everyOtherMayParkAndBeAnswered(FetchPhase from) {
        assertThat(from.to(FetchPhase.PARKED)).isEqualTo(FetchPhase.PARKED);
        assertThat(from.to(FetchPhase.ANSWERED)).isEqualTo(FetchPhase.ANSWERED);
    }

    @Test
    void aRoundOverNoContainerWaits() {
        assertThat(FetchPhase.reading(0)).isEqualTo(FetchPhase.PARKED);
        assertThat(FetchPhase.reading(1)).isEqualTo(FetchPhase.READING_ONE);
        assertThat(FetchPhase.reading(2)).isEqualTo(FetchPhase.READING_SEVERAL);
    }
}
