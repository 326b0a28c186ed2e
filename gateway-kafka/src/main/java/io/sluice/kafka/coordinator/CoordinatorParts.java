package io.sluice.kafka.coordinator;

import com.yammer.metrics.core.MetricsRegistry;
import io.sluice.kafka.api.KafkaServices;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.internals.Plugin;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.GroupCoordinatorService;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorRuntimeMetrics;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.server.share.persister.NoOpStatePersister;
import org.apache.kafka.server.util.PartitionMetadataClient;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;

/** Kafka's coordinator put together with our log under it, and what has to be closed with it. */
record CoordinatorParts(
        GroupCoordinatorService service, GroupCoordinatorConfig config, Metrics metrics, MetricsRegistry gauges) {

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
        GroupCoordinatorService service = new GroupCoordinatorService.Builder(node, config)
                .withTime(time)
                .withTimer(new SystemTimerReaper("group-coordinator-reaper", new SystemTimer("group-coordinator")))
                .withLoader(new OffsetsLoader(partitions, time))
                .withWriter(new OffsetsWriter(partitions, settings.writeTimeout(), transactions, onLost))
                .withCoordinatorRuntimeMetrics(new GroupCoordinatorRuntimeMetrics(metrics))
                .withGroupCoordinatorMetrics(new GroupCoordinatorMetrics(gauges, metrics))
                .withGroupConfigManager(new GroupConfigManager(config, ShareGroupConfig.fromProps(kafka)))
                .withPersister(new NoOpStatePersister())
                .withAuthorizerPlugin(Optional.of(
                        Plugin.wrapInstance(new TopicsInPatterns(services.access()), metrics, "authorizer.class.name")))
                .withPartitionMetadataClient(new NoShareGroups())
                .build();
        return new CoordinatorParts(service, config, metrics, gauges);
    }

    void close() {
        service.shutdown();
        metrics.close();
        gauges.shutdown();
    }

    /** Only share groups ask for the ends of partitions, and their APIs are not spoken. */
    private static final class NoShareGroups implements PartitionMetadataClient {
        @Override
        public Map<TopicPartition, CompletableFuture<OffsetResponse>> listLatestOffsets(
                java.util.Set<TopicPartition> asked) {
            return asked.stream()
                    .collect(Collectors.toMap(
                            Function.identity(),
                            tp -> CompletableFuture.completedFuture(
                                    new OffsetResponse(-1, Errors.UNSUPPORTED_VERSION))));
        }

        @Override
        public void close() {}
    }
}
