package io.sluice.bookie.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.cluster.PulsarMetadata;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.apache.pulsar.metadata.api.extended.CreateOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistrationsTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private PulsarMetadata open() throws Exception {
        return PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), SOON);
    }

    /** If it were, a look at it later would delete what is there then: the registration of the bookie that has just started. */
    @Test
    void nothingOfAKilledBookieIsThereWhenTheNextOneRegisters() throws Exception {
        List<String> left = List.of("/ledgers/available/b", "/ledgers/available/readonly/b");
        try (PulsarMetadata killed = open()) {
            for (String path : left) {
                killed.store()
                        .put(path, new byte[0], Optional.empty(), EnumSet.of(CreateOption.Ephemeral))
                        .get();
            }
        }
        try (PulsarMetadata metadata = open()) {
            Registrations.removeKilled(metadata, "b", SOON);
            for (String path : left) {
                assertThat(metadata.store().exists(path).get()).as(path).isFalse();
            }
        }
    }
}
