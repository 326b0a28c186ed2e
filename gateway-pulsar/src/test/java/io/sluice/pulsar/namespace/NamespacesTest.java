package io.sluice.pulsar.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.TestBroker;
import io.sluice.store.cluster.InMemoryMetadata;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who creates a tenant or namespace is told so, however often the metadata client sent the put. */
class NamespacesTest {
    private final TestBroker broker = TestBroker.start();
    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final Namespaces namespaces = new Namespaces(metadata, broker.catalogue());

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void createSucceedsWhenItsPutIsSentTwice() throws IOException {
        metadata.repeatNextPut();
        assertThat(namespaces.createTenant("t")).isTrue();
        metadata.repeatNextPut();
        assertThat(namespaces.createNamespace("t", "n")).isTrue();
        assertThat(namespaces.createNamespace("t", "n")).isFalse();
        assertThat(namespaces.createTenant("t")).isFalse();
    }

    @Test
    void createSucceedsWhenTheAnswerToItsPutIsLost() throws IOException {
        metadata.failNextPut(true);
        assertThat(namespaces.createTenant("t")).isTrue();
        metadata.failNextPut(false);
        assertThatThrownBy(() -> namespaces.createTenant("u")).isInstanceOf(IOException.class);
        assertThat(namespaces.createTenant("u")).isTrue();
    }

    @Test
    void ofTwoThatCreateAtOnceOneIsTheCreator() throws IOException {
        metadata.duringNextPut(() -> assertThat(create("t")).isTrue());
        assertThat(namespaces.createTenant("t")).isFalse();
    }

    private boolean create(String tenant) {
        try {
            return namespaces.createTenant(tenant);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
