package io.sluice.store.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class StoreLayoutTest {
    private final InMemoryMetadata metadata = new InMemoryMetadata();

    @Test
    void theFirstStartDecidesAndLaterSettingsDoNot() throws IOException {
        StoreLayout first = StoreLayout.readOrInitialise(metadata, 16, UUID::randomUUID);
        StoreLayout later = StoreLayout.readOrInitialise(metadata, 4, UUID::randomUUID);
        assertThat(first.containers()).isEqualTo(16);
        assertThat(later).isEqualTo(first);
    }

    @Test
    void refusesALayoutOfANewerRelease() throws IOException {
        metadata.put("/sluice/cluster", "9 something else".getBytes(US_ASCII), Metadata.ABSENT);
        assertThatThrownBy(() -> StoreLayout.readOrInitialise(metadata, 4, UUID::randomUUID))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("format 9");
    }
}
