package io.sluice.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Registered for every test class: what is awaited without a limit of its own has half a minute, for a machine that builds
 * something else at the same time. A test that passes waits no longer than it has to: the condition is looked at immediately, after
 * 10 ms, and then more and more rarely until it is every 100 ms, so that a long wait costs no more than it did.
 */
public final class PatientAwaits implements BeforeAllCallback {
    private static final int FIRST_MILLIS = 10;
    private static final int LONGEST_MILLIS = 100;
    /** Doublings after which {@link #FIRST_MILLIS} is above {@link #LONGEST_MILLIS}. */
    private static final int DOUBLINGS = 4;

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval((looks, _) -> pause(looks));
    }

    /** @param looks how many there were, from 1 */
    private static Duration pause(int looks) {
        return Duration.ofMillis(Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(looks - 1, DOUBLINGS)));
    }
}
