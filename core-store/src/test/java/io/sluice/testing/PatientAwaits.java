package io.sluice.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Registered for every test class: what is awaited without a limit of its own has half a minute, for a machine that builds
 * something else at the same time. A test that passes waits no longer than it has to.
 */
public final class PatientAwaits implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
    }
}
