package io.sluice.pulsar;

import io.sluice.broker.memory.ProtocolShare;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.dispatch.Hubs;
import io.sluice.pulsar.schema.TopicSchemas;

/** What connections and handlers share. */
public record GatewayServices(
        PulsarGatewayConfig config,
        TopicCatalogue catalogue,
        TopicAccess topics,
        Hubs hubs,
        TopicSchemas schemas,
        Namespaces namespaces,
        NamespacePolicies policies,
        Deduplication deduplication,
        ProtocolShare budget,
        ProducerNames names,
        PulsarMeters meters) {}
