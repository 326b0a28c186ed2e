package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.cluster.Metadata;
import io.sluice.testing.ExpectedLog;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExpectedLog("An interrupted change of persistent://public/default/t is not finished yet")
class SchemasOfDeletedTopicsTest extends CatalogueFixture {
    private void putSchema(UUID topic) throws IOException {
        metadata.put("/sluice/pulsar/schemas/" + topic, new byte[] {1}, Metadata.ABSENT);
    }

    @Test
    void aTopicsSchemaGoesWithItAndNoOtherDoes() throws IOException {
        Topic topic = create(NAME, 2);
        Topic other = create(TopicName.ofDefault("u"), 2);
        putSchema(topic.id());
        putSchema(other.id());
        catalogue.delete(NAME).join();
        assertThat(metadata.children("/sluice/pulsar/schemas"))
                .containsExactly(other.id().toString());
        restart();
        assertThat(metadata.children("/sluice/pulsar/schemas"))
                .containsExactly(other.id().toString());
    }

    /** Crashed after the intent, after the schema's record; before the topic's own. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aDeletionCutShortLeavesNoSchema(int writes) throws IOException {
        putSchema(create(NAME, 2).id());
        metadata.crashAfter(writes);
        catalogue.delete(NAME).join();
        assertThat(metadata.size()).isPositive();
        restart();
        assertThat(metadata.size()).isZero();
        assertNoOrphans();
    }

    /** What earlier releases left, and what came too late. */
    @Test
    void aStartRemovesTheSchemasOfTopicsThatAreGone() throws IOException {
        Topic topic = create(NAME, 2);
        putSchema(topic.id());
        putSchema(new UUID(9, 9));
        restart();
        assertThat(metadata.children("/sluice/pulsar/schemas"))
                .containsExactly(topic.id().toString());
    }
}
