package io.sluice.pulsar.registry;

import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.container.Tasks;

/**
 * Schemas of a node, by the names of both protocols.
 *
 * @param topics by the versions that Pulsar's clients know
 * @param registry by subject and id
 * @param prefixes what conversion has to know of both
 */
public record SchemaServices(TopicSchemas topics, SchemaRegistry registry, RegisteredPrefixes prefixes)
        implements AutoCloseable {
    public static SchemaServices open(Metadata metadata, TopicCatalogue catalogue, Tasks tasks) {
        TopicSchemas topics = new TopicSchemas(metadata, catalogue, tasks);
        SchemaRegistry registry = new SchemaRegistry(metadata, topics, catalogue);
        return new SchemaServices(topics, registry, new RegisteredPrefixes(metadata, registry.subjects(), catalogue));
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        prefixes.close();
        topics.close();
    }
}
