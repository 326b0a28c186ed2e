package io.sluice.pulsar.replication;

import io.sluice.broker.topic.Topic;
import java.io.IOException;
import org.apache.pulsar.common.policies.data.ClusterDataImpl;

/** Another cluster, as replicators reach it. */
public interface RemoteCluster extends AutoCloseable {
    /**
     * A producer to the same partition there. The topic is made if it is not there, and gets more partitions if it has fewer. Blocks.
     *
     * @param partition -1 for a non-partitioned topic
     * @throws IOException the cluster is not reached, or refuses; with a reason for people, to be tried again
     */
    RemoteProducer open(Topic topic, int partition) throws IOException, InterruptedException;

    /** Ends all connections; blocks for a moment. */
    @Override
    void close();

    /** Makes clusters from their records. */
    interface Factory {
        /**
         * Connects nothing yet.
         *
         * @param own name of the server's own cluster
         */
        RemoteCluster create(String own, String name, ClusterDataImpl record);
    }
}
