package io.sluice.pulsar.fuzz;

import io.sluice.pulsar.wire.MalformedCommandException;
import io.sluice.testing.fuzz.FuzzRun;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Damaged commands cost nobody else anything. */
class PulsarFuzzTest {
    /** How the gateway itself refuses what is no command, which ends the connection. Any other exception is a fault. */
    private static final List<String> TOLERATED = List.of(MalformedCommandException.class.getName());

    @Test
    void damagedCommandsCostNobodyElseAnything() {
        new FuzzRun("gateway-pulsar", "PulsarFuzzTest", TOLERATED, seed -> new FuzzedPulsar()).run();
    }
}
