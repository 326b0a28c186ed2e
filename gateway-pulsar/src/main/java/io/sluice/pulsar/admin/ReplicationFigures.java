package io.sluice.pulsar.admin;

import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.replication.ReplicatorView;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.policies.data.stats.ReplicatorStatsImpl;

/** Stats of replicators, in Pulsar's own classes. */
final class ReplicationFigures {
    private ReplicationFigures() {}

    /**
     * Stats by the other cluster.
     *
     * @param producers of the partition, replicators of other clusters among them
     */
    static Map<String, ReplicatorStatsImpl> of(List<ReplicatorView> views, List<ProducerSession.View> producers) {
        Map<String, ReplicatorStatsImpl> all = new HashMap<>();
        for (ReplicatorView view : views) {
            ReplicatorStatsImpl stats = out(view);
            String replicator = "pulsar.repl." + view.cluster() + "-->";
            producers.stream()
                    .filter(p -> p.identity().name().startsWith(replicator))
                    .forEach(p -> in(stats, p));
            all.put(view.cluster(), stats);
        }
        return all;
    }

    private static ReplicatorStatsImpl out(ReplicatorView view) {
        ReplicatorStatsImpl stats = new ReplicatorStatsImpl();
        stats.msgRateOut = view.out().messageRate();
        stats.msgThroughputOut = view.out().byteRate();
        stats.replicationBacklog = view.backlog();
        stats.replicationDelayInSeconds = TimeUnit.MILLISECONDS.toSeconds(view.delayMillis());
        stats.connected = view.connected();
        stats.outboundConnection = view.connection();
        stats.outboundConnectedSince = view.connectedSince();
        return stats;
    }

    private static void in(ReplicatorStatsImpl stats, ProducerSession.View p) {
        stats.msgRateIn = p.in().messageRate();
        stats.msgThroughputIn = p.in().byteRate();
        stats.inboundConnection = p.address();
        stats.inboundConnectedSince = Instant.ofEpochMilli(p.connectedAt()).toString();
    }
}
