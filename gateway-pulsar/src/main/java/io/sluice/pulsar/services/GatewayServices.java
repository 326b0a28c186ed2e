package io.sluice.pulsar.services;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.compaction.ViewCompactionQueue;
import io.sluice.broker.group.TopicGroups;
import io.sluice.broker.memory.ProtocolShare;
import io.sluice.broker.quota.ClientRates;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.scaling.ScaleTargets;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.dispatch.EntryReader;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.namespace.ClusterMigration;
import io.sluice.pulsar.namespace.CompactionThresholds;
import io.sluice.pulsar.namespace.Deduplication;
import io.sluice.pulsar.namespace.DelayedDelivery;
import io.sluice.pulsar.namespace.MessageTtl;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NamespaceRetention;
import io.sluice.pulsar.namespace.Namespaces;
import io.sluice.pulsar.namespace.ReplicationPolicies;
import io.sluice.pulsar.namespace.ResourceGroups;
import io.sluice.pulsar.namespace.TenantAdmins;
import io.sluice.pulsar.nonpersistent.NonPersistentTopics;
import io.sluice.pulsar.registry.SchemaRegistry;
import io.sluice.pulsar.replication.Replicators;
import io.sluice.pulsar.scalable.Controllers;
import io.sluice.pulsar.scalable.CoordinatorWatches;
import io.sluice.pulsar.scalable.LayoutWatches;
import io.sluice.pulsar.scalable.StreamConsumers;
import io.sluice.pulsar.scalable.TopicListWatches;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.store.container.Tasks;
import io.sluice.transactions.SingleTransactions;

/**
 * Services shared by connections and handlers.
 *
 * @param tasks runs what blocks
 * @param reader shows entries to people
 * @param rates that clients are kept to
 */
public record GatewayServices(
        PulsarGatewayConfig config,
        Tasks tasks,
        TopicCatalogue catalogue,
        Cluster cluster,
        TopicAccess topics,
        Hubs hubs,
        EntryReader reader,
        TopicSchemas schemas,
        SchemaPolicies schemaPolicies,
        SchemaRegistry registry,
        Namespaces namespaces,
        TenantAdmins tenantAdmins,
        ReplicationPolicies replication,
        ResourceGroups resourceGroups,
        ClusterMigration migration,
        Replicators replicators,
        NamespacePolicies policies,
        ClientLimits limits,
        BacklogQuotaChecks quotaChecks,
        InactiveTopics inactive,
        SubscriptionExpiry subscriptionExpiry,
        NamespaceRetention retention,
        Deduplication deduplication,
        DelayedDelivery delays,
        MessageTtl ttl,
        MessageExpiry expiry,
        ViewCompactionQueue views,
        CompactionThresholds thresholds,
        ProtocolShare budget,
        ClientRates rates,
        ProducerNames names,
        ScalableTopics scalable,
        ScaleTargets scaling,
        LayoutWatches layouts,
        TopicListWatches topicLists,
        CoordinatorWatches coordinators,
        Controllers controllers,
        StreamConsumers streams,
        NonPersistentTopics nonPersistent,
        SingleTransactions transactions,
        TopicGroups groups,
        GivenNames givenNames,
        IntroducedClients introduced,
        PulsarMeters meters) {}
