package io.sluice.pulsar.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.junit.jupiter.api.Test;

class ClientMetadataTest {
    private static KeyValue pair(String key, int characters) {
        return new KeyValue().setKey(key).setValue("x".repeat(characters));
    }

    @Test
    void whatAClientSaysOfItselfIsKeptUpToABound() {
        assertThat(ClientMetadata.of(List.of(pair("a", 10), pair("b", 4_084))).keySet())
                .containsExactlyInAnyOrder("a", "b");
        assertThat(ClientMetadata.of(List.of(pair("a", 10), pair("b", 4_085), pair("c", 1))))
                .isEqualTo(Map.of("a", "x".repeat(10)));
        assertThat(ClientMetadata.of(List.of(pair("a", 1_000_000)))).isEmpty();
    }
}
