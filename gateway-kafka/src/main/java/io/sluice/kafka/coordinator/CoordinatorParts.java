package io.sluice.kafka.coordinator;

import com.yammer.metrics.core.MetricsRegistry;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.share.ShareSettings;
import io.sluice.kafka.share.ShareState;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.internals.Plugin;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.GroupCoordinatorService;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorRuntimeMetrics;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.jspecify.annotations.Nullable;

/** Kafka's coordinator put together with our log under it, and what has to be closed with it. */
record CoordinatorParts(
        GroupCoordinatorService service,
        GroupCoordinatorConfig config,
        ShareGroupConfig shareConfig,
        ShareState shares,
        Metrics metrics,
        MetricsRegistry gauges) {

    static CoordinatorParts build(
            GroupSettings settings,
            Map<TopicPartition, OffsetsPartition> partitions,
            TransactionalCommits transactions,
            IntConsumer onLost,
            KafkaServices services,
            Time time) {
        int node = services.cluster().self().id();
        Map<String, Object> kafka = settings.toKafka();
        GroupCoordinatorConfig config =
                new GroupCoordinatorConfig(new AbstractConfig(GroupCoordinatorConfig.CONFIG_DEF, kafka, false));
        Metrics metrics = new Metrics(time);
        MetricsRegistry gauges = new MetricsRegistry();
        ShareGroupConfig shareConfig = ShareGroupConfig.fromProps(kafka);
        GroupConfigManager configs = new GroupConfigManager(config, shareConfig);
        ShareState shares = new ShareState(services, new ShareSettings(configs, shareConfig));
        GroupCoordinatorService service = new GroupCoordinatorService.Builder(node, config)
                .withTime(time)
                .withTimer(new SystemTimerReaper("group-coordinator-reaper", new SystemTimer("group-coordinator")))
                .withLoader(new OffsetsLoader(partitions, time))
                .withWriter(new OffsetsWriter(partitions, settings.writeTimeout(), transactions, onLost))
                .withCoordinatorRuntimeMetrics(new GroupCoordinatorRuntimeMetrics(metrics))
                .withGroupCoordinatorMetrics(new GroupCoordinatorMetrics(gauges, metrics))
                .withGroupConfigManager(configs)
                .withPersister(shares)
                .withAuthorizerPlugin(Optional.of(
                        Plugin.wrapInstance(new TopicsInPatterns(services.access()), metrics, "authorizer.class.name")))
                .withPartitionMetadataClient(shares)
                .build();
        return new CoordinatorParts(service, config, shareConfig, shares, metrics, gauges);
    }

    /** Value of one of the server's settings, by Kafka's name; null if there is none of the name. */
    @Nullable
    Object serverValue(String name) {
        return switch (name) {
            case ShareGroupConfig.SHARE_GROUP_RECORD_LOCK_DURATION_MS_CONFIG ->
                shareConfig.shareGroupRecordLockDurationMs();
            case ShareGroupConfig.SHARE_GROUP_DELIVERY_COUNT_LIMIT_CONFIG -> shareConfig.shareGroupDeliveryCountLimit();
            case ShareGroupConfig.SHARE_GROUP_PARTITION_MAX_RECORD_LOCKS_CONFIG ->
                shareConfig.shareGroupPartitionMaxRecordLocks();
            case GroupCoordinatorConfig.SHARE_GROUP_SESSION_TIMEOUT_MS_CONFIG -> config.shareGroupSessionTimeoutMs();
            case GroupCoordinatorConfig.SHARE_GROUP_HEARTBEAT_INTERVAL_MS_CONFIG ->
                config.shareGroupHeartbeatIntervalMs();
            case GroupCoordinatorConfig.CONSUMER_GROUP_SESSION_TIMEOUT_MS_CONFIG ->
                config.consumerGroupSessionTimeoutMs();
            case GroupCoordinatorConfig.CONSUMER_GROUP_HEARTBEAT_INTERVAL_MS_CONFIG ->
                config.consumerGroupHeartbeatIntervalMs();
            case GroupCoordinatorConfig.STREAMS_GROUP_SESSION_TIMEOUT_MS_CONFIG ->
                config.streamsGroupSessionTimeoutMs();
            case GroupCoordinatorConfig.STREAMS_GROUP_HEARTBEAT_INTERVAL_MS_CONFIG ->
                config.streamsGroupHeartbeatIntervalMs();
            case GroupCoordinatorConfig.STREAMS_GROUP_INITIAL_REBALANCE_DELAY_MS_CONFIG ->
                config.streamsGroupInitialRebalanceDelayMs();
            default -> null;
        };
    }

    void close() {
        service.shutdown();
        metrics.close();
        gauges.shutdown();
    }
}
