package io.sluice.bookie.embedded;

import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Metadata and an embedded bookie on one folder, as the server puts them together. */
record Bookie(PulsarMetadata metadata, EmbeddedBookie embedded) implements AutoCloseable {
    /** Small files and quick collection, so that tests see both. */
    static final BookieSettings SETTINGS =
            new BookieSettings("test", 4 << 20, 32 << 20, 32 << 20, 64 << 20, Duration.ofMillis(200));

    static Bookie start(Path folder) throws IOException {
        return start(folder, SETTINGS);
    }

    static Bookie start(Path folder, BookieSettings settings) throws IOException {
        PulsarMetadata metadata = PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), Duration.ofSeconds(10));
        try {
            return new Bookie(metadata, EmbeddedBookie.start(folder.resolve("bookie"), metadata, settings));
        } catch (IOException e) {
            metadata.close();
            throw e;
        }
    }

    @Override
    public void close() {
        embedded.close();
        metadata.close();
    }
}
