package io.sluice.pulsar;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.compaction.ViewCompactionQueue;
import io.sluice.broker.group.TopicGroups;
import io.sluice.broker.quota.ClientRates;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.scaling.ScaleTargets;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.registry.SchemaServices;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.container.Tasks;
import io.sluice.transactions.SingleTransactions;

/**
 * Services that the gateway uses.
 *
 * @param metadata keeps policies and settings
 * @param tasks runs what reads and writes them
 * @param authorizer decides what clients may do
 * @param cluster this node and the others, as clients are told
 * @param scalable topics with segments that come and go
 * @param scaling when they do so by themselves, of topics that do not say theirs
 * @param views compacts topics beside their log
 * @param transactions of the authority that Kafka's clients use as well
 * @param groups of Kafka's clients
 * @param rates that clients are kept to
 * @param schemas of topics and subjects; their owner closes them
 */
public record Backend(
        TopicCatalogue catalogue,
        Partitions partitions,
        Metadata metadata,
        Tasks tasks,
        Authorizer authorizer,
        Cluster cluster,
        ScalableTopics scalable,
        ScaleTargets scaling,
        ViewCompactionQueue views,
        SingleTransactions transactions,
        TopicGroups groups,
        ClientRates rates,
        SchemaServices schemas) {
    /** Where topics scale as Pulsar's do, there are no clients of Kafka, and none is held back. */
    public Backend(
            TopicCatalogue catalogue,
            Partitions partitions,
            Metadata metadata,
            Tasks tasks,
            Authorizer authorizer,
            Cluster cluster,
            ScalableTopics scalable,
            ViewCompactionQueue views,
            SingleTransactions transactions) {
        this(
                catalogue,
                partitions,
                metadata,
                tasks,
                authorizer,
                cluster,
                scalable,
                ScaleTargets.DEFAULT,
                views,
                transactions,
                TopicGroups.NONE,
                ClientRates.UNLIMITED,
                SchemaServices.open(metadata, catalogue, tasks));
    }
}
