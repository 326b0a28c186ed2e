package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.cluster.InMemoryMetadata;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PulsarSideTest {
    /** Deduplication goes by producer name: two producers of one name would lose messages. */
    @Test
    void processesThatStartAtTheSameTimeNameProducersDifferently() throws Exception {
        var metadata = new InMemoryMetadata();
        Set<String> instances = new HashSet<>();
        for (int process = 0; process < 100; process++) {
            assertThat(instances.add(PulsarSide.newInstance("c", metadata))).isTrue();
        }
    }
}
