package io.sluice.pulsar.fuzz;

import io.sluice.testing.fuzz.FuzzRun;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Damaged commands cost nobody else anything. */
class PulsarFuzzTest {
    /** A frame that makes no sense ends its connection by an exception of the parser, or of the handler that looks at its values. */
    private static final List<String> TOLERATED = List.of(
            "java.lang.IllegalArgumentException",
            "java.lang.IndexOutOfBoundsException",
            "java.lang.IllegalStateException");

    @Test
    void damagedCommandsCostNobodyElseAnything() {
        new FuzzRun("gateway-pulsar", "PulsarFuzzTest", TOLERATED, seed -> new FuzzedPulsar()).run();
    }
}
