package io.sluice.server.health;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The metadata store is well if it gives back what was written, however often a put was sent. */
class MetadataPartTest {
    private static final String PATH = "/sluice/health/1";

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final MetadataPart part = new MetadataPart(metadata, "1");

    @Test
    void aPutThatIsSentTwiceIsNoFailure() throws IOException {
        for (int i = 0; i < 3; i++) {
            metadata.repeatNextPut();
            assertThat(part.call()).isNull();
        }
    }

    @Test
    void anEarlierPutThatLandsLateIsNoFailure() throws IOException {
        assertThat(part.call()).isNull();
        metadata.duringNextPut(this::landLate);
        assertThat(part.call()).isNull();
    }

    private void landLate() {
        try {
            Metadata.Versioned there = Objects.requireNonNull(metadata.get(PATH));
            metadata.put(PATH, "late".getBytes(US_ASCII), there.version());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aStoreThatCannotBeWrittenOrReadIsAFailure() throws IOException {
        assertThat(part.call()).isNull();
        metadata.failNextPut(false);
        assertThatThrownBy(part::call).isInstanceOf(IOException.class);
        metadata.failNextGets(1);
        assertThatThrownBy(part::call).isInstanceOf(IOException.class);
        assertThat(part.call()).isNull();
    }
}
