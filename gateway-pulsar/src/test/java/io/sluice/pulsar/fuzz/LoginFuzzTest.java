package io.sluice.pulsar.fuzz;

import io.sluice.pulsar.wire.MalformedCommandException;
import io.sluice.testing.fuzz.FuzzRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged logins let nobody in, and cost nobody else anything. */
class LoginFuzzTest {
    /** How the gateway itself refuses what is no command, which ends the connection. Any other exception is a fault. */
    private static final List<String> TOLERATED = List.of(MalformedCommandException.class.getName());

    @TempDir
    private Path folder;

    @Test
    void damagedLoginsLetNobodyIn() {
        new FuzzRun("gateway-pulsar", "LoginFuzzTest", TOLERATED, _ -> new FuzzedLogins(folder)).run();
    }
}
