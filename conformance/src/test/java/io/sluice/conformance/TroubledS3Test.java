package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.TroubledLink.Trouble;
import io.sluice.tiering.objectstore.s3.Minio;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real S3 server behind a link that refuses, delays, breaks off and goes away, one after the other, while clients write. */
class TroubledS3Test {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** Over each protocol and trouble: more than makes a partition be stored in an object of its own. */
    private static final int STEP = 160;

    @TempDir
    private Path folder;

    @Test
    void nothingIsLostNorOrphanedWhateverTheLinkDoes() throws Exception {
        var history = new History("troubled");
        try (Minio minio = Minio.start(folder.resolve("minio"));
                TroubledLink link = new TroubledLink(minio.endpoint());
                SluiceServer server = SluiceServer.start(
                        folder.resolve("data"),
                        S3TierTest.tier(link.endpoint(), Map.of()),
                        Map.of("SLUICE_MEMORY", "512m"))) {
            for (Trouble trouble : List.of(Trouble.HALF_REFUSED, Trouble.SLOW, Trouble.CUT, Trouble.AWAY)) {
                link.trouble(trouble);
                history.produce(server, STEP);
                await(trouble.name()).atMost(PATIENCE).until(() -> link.troubled() >= 2);
            }
            link.trouble(Trouble.NONE);
            history.awaitTiered(server);
            server.stopAll();
            assertNoOrphans(server);
            server.startAll();
            history.readBack(server);
        }
    }

    private static void assertNoOrphans(SluiceServer server) throws Exception {
        // what was on its way when the server stopped is known to the log, and nobody's
        SluiceServer.Outcome removal = server.auditTier("--remove");
        assertThat(removal.output()).contains(" 0 objects missing");
        assertThat(removal.exitCode()).isZero();
        assertThat(server.auditTier().output()).contains(" 0 orphans", " 0 objects missing");
    }
}
