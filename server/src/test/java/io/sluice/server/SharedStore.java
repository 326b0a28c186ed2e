package io.sluice.server;

import io.sluice.server.embedded.EmbeddedBookie;
import io.sluice.server.embedded.EmbeddedBookieSettings;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/** What several nodes share: metadata, a bookie, and the folder of the tier. */
record SharedStore(PulsarMetadata metadata, EmbeddedBookie bookie, Path tier) implements AutoCloseable {
    private static final EmbeddedBookieSettings BOOKIE =
            new EmbeddedBookieSettings("shared", 16 << 20, 256 << 20, 32 << 20, 64 << 20, Duration.ofSeconds(1));

    static SharedStore start(Path folder) throws IOException {
        PulsarMetadata metadata = PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), Duration.ofSeconds(10));
        return new SharedStore(
                metadata, EmbeddedBookie.start(folder.resolve("bookie"), metadata, BOOKIE), folder.resolve("tier"));
    }

    /** One container, so that all fight over the same. */
    StoreLayout layout() throws IOException {
        return StoreLayout.readOrInitialise(metadata, 1, UUID::randomUUID);
    }

    @Override
    public void close() {
        bookie.close();
        metadata.close();
    }
}
