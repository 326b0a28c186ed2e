package io.sluice.pulsar.admin;

import io.sluice.broker.retention.Retention;
import io.sluice.broker.topic.Topic;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.apache.pulsar.common.policies.data.PersistencePolicies;

/**
 * Stores below this server, as far as Pulsar's tools ask for them.
 *
 * @param metadataUrl of the metadata store, such as {@code zk:host:2181/path}
 * @param copies bookies of the log, those that a frame is written to, and those that have it before it is acknowledged
 * @param retention of a topic, as it holds now
 */
public record ServerStores(
        String metadataUrl, PersistencePolicies copies, Bookies bookies, Function<Topic, Retention> retention) {
    /** Bookies that the metadata store knows. */
    public interface Bookies {
        /**
         * Ids of all that are registered, or were and have not been forgotten. Blocks.
         *
         * @throws IOException the metadata store does not answer
         */
        List<String> ids() throws IOException;
    }
}
