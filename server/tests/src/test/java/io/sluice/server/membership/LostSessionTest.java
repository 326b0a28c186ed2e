package io.sluice.server.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class LostSessionTest {
    private static final int ENOUGH = (LostSession.TRIALS + 1) * (LostSession.LOOKS_BEFORE_TRIAL + 1);

    private final Queue<Runnable> trials = new ArrayDeque<>();
    private boolean held;
    private boolean storeAnswers = true;
    private final LostSession session = new LostSession(() -> held, () -> storeAnswers, trials::add);

    @Test
    void aSessionIsLostThatDoesNotComeBackWhileTheStoreIsThere() {
        int looks = 0;
        while (!look()) {
            assertThat(++looks).isLessThan(ENOUGH);
        }
        assertThat(looks).isGreaterThanOrEqualTo(LostSession.TRIALS * LostSession.LOOKS_BEFORE_TRIAL);
    }

    @Test
    void aStoreThatIsAwayIsWaitedFor() {
        storeAnswers = false;
        expectNotLost(10 * ENOUGH);
        storeAnswers = true;
        expectNotLost((LostSession.TRIALS - 1) * LostSession.LOOKS_BEFORE_TRIAL);
    }

    /** Else an outage of an hour would leave behind many that try. */
    @Test
    void aTrialThatIsNotAnsweredIsTheOnlyOne() {
        for (int look = 0; look < ENOUGH; look++) {
            assertThat(session.look()).isFalse();
        }
        assertThat(trials).hasSize(1);
    }

    @Test
    void aTrialThatFailsIsNoAnswer() {
        var failing = new LostSession(
                () -> false,
                () -> {
                    throw new IllegalStateException("planted");
                },
                Runnable::run);
        for (int look = 0; look < 10 * ENOUGH; look++) {
            assertThat(failing.look()).isFalse();
        }
    }

    @Test
    void aSessionThatComesBackIsWell() {
        for (int round = 0; round < 10; round++) {
            held = false;
            expectNotLost((LostSession.TRIALS - 1) * LostSession.LOOKS_BEFORE_TRIAL);
            held = true;
            expectNotLost(1);
        }
    }

    private void expectNotLost(int looks) {
        for (int look = 0; look < looks; look++) {
            assertThat(look()).isFalse();
        }
    }

    private boolean look() {
        boolean lost = session.look();
        while (!trials.isEmpty()) {
            trials.remove().run();
        }
        return lost;
    }
}
