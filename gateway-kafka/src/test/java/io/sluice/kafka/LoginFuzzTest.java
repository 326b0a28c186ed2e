package io.sluice.kafka;

import io.sluice.broker.identity.ServerTls;
import io.sluice.testing.fuzz.FuzzRun;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged logins let nobody in, and cost nobody else anything. */
class LoginFuzzTest {
    /** Why somebody was not let in, for who looks into it: at debug level. */
    private static final List<String> TOLERATED = List.of(
            "is not let in: ",
            "closed: io.netty.handler.codec.DecoderException: io.netty.handler.ssl.",
            "closed: io.netty.handler.codec.DecoderException: javax.net.ssl.");

    @TempDir
    private Path folder;

    @Test
    void damagedLoginsLetNobodyIn() throws Exception {
        ServerTls tls = FuzzedLogins.tls(folder);
        new FuzzRun("gateway-kafka", "LoginFuzzTest", TOLERATED, _ -> new FuzzedLogins(folder, tls)).run();
    }
}
