package io.sluice.conformance.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** Tools that tests want of the machine beside a JDK. */
public final class Wanted {
    private Wanted() {}

    /** If it is missing, the test fails in CI and is skipped, saying so, on a contributor's machine. */
    public static void require(boolean found, String what) {
        assumeThat(has(found, what))
                .as("%s is not installed, this test is skipped", what)
                .isTrue();
    }

    /** If it is missing, the test fails in CI, and does without it on a contributor's machine. */
    public static boolean has(boolean found, String what) {
        if ("true".equals(System.getenv("CI"))) {
            assertThat(found).as("%s must be installed in CI", what).isTrue();
        }
        return found;
    }
}
