package io.sluice.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RocksDbMetadataTest extends MetadataContract {
    @TempDir
    private Path folder;

    private PulsarMetadata metadata;

    @BeforeEach
    void open() throws IOException {
        metadata = PulsarMetadata.open("rocksdb:" + folder, Duration.ofSeconds(10));
    }

    @AfterEach
    void close() {
        metadata.close();
    }

    @Override
    protected Metadata metadata() {
        return metadata;
    }

    @Test
    void survivesClosing() throws IOException {
        long version = metadata.put("/kept", new byte[] {1, 2}, Metadata.ABSENT);
        metadata.close();
        open();
        Metadata.Versioned found = Objects.requireNonNull(metadata.get("/kept"));
        assertThat(found.value()).containsExactly(1, 2);
        assertThat(found.version()).isEqualTo(version);
    }

    @Test
    void twoOpeningsInOneProcessShareOneStore() throws IOException {
        try (PulsarMetadata second = PulsarMetadata.open("rocksdb:" + folder, Duration.ofSeconds(10))) {
            second.put("/shared", new byte[] {3}, Metadata.ABSENT);
        }
        assertThat(metadata.get("/shared")).isNotNull();
    }

    @Test
    void closesBehindListenersThatReadWhatTheyAreToldOf() throws IOException {
        int changes = 100;
        var all = new CountDownLatch(1);
        var read = new AtomicInteger();
        metadata.store().registerListener(change -> {
            if (change.getPath().startsWith("/told/")) {
                Uninterruptibles.awaitUninterruptibly(all);
                metadata.store().getChildrenFromStore(change.getPath()).thenRun(read::incrementAndGet);
            }
        });
        for (int change = 0; change < changes; change++) {
            metadata.put("/told/" + change, new byte[0], Metadata.ABSENT);
        }
        all.countDown();
        metadata.close();
        assertThat(read).hasValue(changes);
        open();
    }
}
