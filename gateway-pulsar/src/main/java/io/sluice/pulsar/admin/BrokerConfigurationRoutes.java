package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;

/**
 * The broker's configuration under Pulsar's names, as far as a setting here means the same. All of it is read when the server starts: nothing
 * is configured while it runs but policies of namespaces and topics.
 */
final class BrokerConfigurationRoutes {
    private static final String CONFIGURATION = "/admin/v2/brokers/configuration";

    private final GatewayServices services;

    BrokerConfigurationRoutes(GatewayServices services) {
        this.services = services;
    }

    void add(Routes routes) {
        var look = routes.cluster(DESCRIBE_CONFIGS);
        look.get(CONFIGURATION, r -> new JsonArray());
        look.get(CONFIGURATION + "/values", r -> new JsonObject());
        look.get(CONFIGURATION + "/runtime", r -> runtime());
    }

    /** Values as texts, by Pulsar's names. */
    private Map<String, String> runtime() {
        PulsarGatewayConfig config = services.config();
        PulsarGatewayConfig.Limits limits = config.limits();
        Map<String, Object> all = new TreeMap<>();
        all.put("clusterName", config.clusterName());
        all.put("bindAddress", config.host());
        all.put("advertisedAddress", config.advertisedHost() == null ? "" : config.advertisedHost());
        all.put(config.isTls() ? "brokerServicePortTls" : "brokerServicePort", config.port());
        URI http = URI.create(config.httpUrl());
        all.put("https".equals(http.getScheme()) ? "webServicePortTls" : "webServicePort", http.getPort());
        all.put("allowAutoTopicCreation", config.topics().automatic());
        boolean partitioned = config.topics().partitions() > 0;
        all.put("allowAutoTopicCreationType", partitioned ? "partitioned" : "non-partitioned");
        all.put("defaultNumPartitions", Math.max(1, config.topics().partitions()));
        all.put("brokerDeduplicationEnabled", config.deduplication());
        all.put("brokerServiceCompactionThresholdInBytes", config.compactionThreshold());
        all.put("maxMessageSize", limits.maxMessageBytes());
        all.put("maxPendingPublishRequestsPerConnection", limits.pendingSends());
        all.put("maxUnackedMessagesPerConsumer", limits.unackedMessages());
        all.put("maxUnackedMessagesPerSubscription", limits.unackedOfSubscription());
        all.put("brokerMaxConnections", limits.connections());
        all.put("keepAliveIntervalSeconds", limits.keepAlive().toSeconds());
        all.put("backlogQuotaCheckIntervalInSeconds", limits.quotaChecks().toSeconds());
        all.put(
                "brokerDeleteInactiveTopicsFrequencySeconds",
                limits.inactivityChecks().toSeconds());
        all.put("authenticationEnabled", config.isAuthenticated());
        all.put("authorizationEnabled", services.topics().rules() != null);
        Map<String, String> texts = new TreeMap<>();
        all.forEach((name, value) -> texts.put(name, value.toString()));
        return texts;
    }
}
