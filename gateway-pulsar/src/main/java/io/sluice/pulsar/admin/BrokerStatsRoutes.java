package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.DESCRIBE;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.access.Principal;
import io.sluice.pulsar.admin.BrokerTopics.OfNamespace;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.topic.ServiceUrls;
import io.vertx.core.json.JsonObject;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.common.policies.data.stats.ReplicatorStatsImpl;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;
import org.apache.pulsar.common.policies.data.stats.TopicStatsImpl;
import org.apache.pulsar.common.stats.Metrics;
import org.apache.pulsar.policies.data.loadbalancer.LoadManagerReport;
import org.apache.pulsar.policies.data.loadbalancer.LocalBrokerData;
import org.apache.pulsar.policies.data.loadbalancer.NamespaceBundleStats;

/**
 * {@code /admin/v2/broker-stats/...}: figures of this node, of the topics that it serves and the caller may see. A namespace is one bundle, which has
 * on each node what that node serves. A difference on purpose: figures are those of now, not of the last minute.
 */
final class BrokerStatsRoutes {
    private static final String STATS = "/admin/v2/broker-stats";

    private final AdminTopics topics;
    private final BrokerTopics served;
    private final InetSocketAddress binary;

    BrokerStatsRoutes(AdminTopics topics, InetSocketAddress binary) {
        this.topics = topics;
        this.served = new BrokerTopics(topics);
        this.binary = binary;
    }

    void add(Routes routes) {
        var look = routes.cluster(DESCRIBE);
        look.get(STATS + "/topics", r -> topics(r.principal()));
        look.get(STATS + "/load-report", r -> load(r.principal()));
        look.get(STATS + "/metrics", r -> metrics(r.principal()));
        look.get(STATS + "/mbeans", r -> ProcessFigures.mbeans());
        look.get(STATS + "/allocator-stats/:allocator", r -> allocator(r.get("allocator")));
    }

    private Object topics(Principal who) throws AdminException {
        JsonObject all = new JsonObject();
        for (var each : served.shownTo(who).entrySet()) {
            JsonObject of = new JsonObject();
            if (!each.getValue().persistent().isEmpty()) {
                of.put("persistent", TopicFigures.ofPersistent(each.getValue().persistent()));
            }
            if (!each.getValue().live().isEmpty()) {
                of.put("non-persistent", TopicFigures.ofLive(each.getValue().live()));
            }
            all.put(each.getKey(), new JsonObject().put(PlaceRoutes.BUNDLE, of));
        }
        return all;
    }

    // ---- load

    private LoadManagerReport load(Principal who) throws AdminException {
        PulsarGatewayConfig config = topics.services().config();
        String url = ServiceUrls.of(config, "", binary);
        boolean secure = config.httpUrl().startsWith("https:");
        LocalBrokerData load = new LocalBrokerData(
                topics.brokerId(),
                secure ? null : config.httpUrl(),
                secure ? config.httpUrl() : null,
                url == null ? null : ServiceUrls.plain(url),
                url == null ? null : ServiceUrls.secure(url));
        load.setBrokerVersionString(PulsarGatewayConfig.SERVER_VERSION);
        Map<String, NamespaceBundleStats> bundles = new HashMap<>();
        served.shownTo(who).forEach((namespace, of) -> bundles.put(namespace + "/" + PlaceRoutes.BUNDLE, sum(of)));
        load.update(ProcessFigures.usage(), bundles);
        load.setBundles(Set.copyOf(bundles.keySet()));
        return load;
    }

    private static NamespaceBundleStats sum(OfNamespace of) {
        NamespaceBundleStats sum = new NamespaceBundleStats();
        for (TopicStatsImpl each : of.all()) {
            sum.topics++;
            sum.msgRateIn += each.msgRateIn;
            sum.msgThroughputIn += each.msgThroughputIn;
            sum.msgRateOut += each.msgRateOut;
            sum.msgThroughputOut += each.msgThroughputOut;
            sum.producerCount += each.getPublishers().size();
            sum.consumerCount += consumers(each);
        }
        return sum;
    }

    private static int consumers(TopicStatsImpl topic) {
        return topic.getSubscriptions().values().stream()
                .mapToInt(each -> each.getConsumers().size())
                .sum();
    }

    // ---- metrics

    /** Metrics of namespaces, and of the process. */
    private List<Metrics> metrics(Principal who) throws AdminException {
        List<Metrics> all = new ArrayList<>();
        served.shownTo(who).forEach((namespace, of) -> all.add(metrics(namespace, of)));
        all.add(ProcessFigures.metrics());
        return all;
    }

    private static Metrics metrics(String namespace, OfNamespace of) {
        NamespaceBundleStats sum = sum(of);
        Metrics metrics = Metrics.create(Map.of("namespace", namespace));
        metrics.put("brk_in_rate", sum.msgRateIn);
        metrics.put("brk_in_tp_rate", sum.msgThroughputIn);
        metrics.put("brk_out_rate", sum.msgRateOut);
        metrics.put("brk_out_tp_rate", sum.msgThroughputOut);
        metrics.put("brk_no_of_producers", sum.producerCount);
        metrics.put("brk_no_of_consumers", sum.consumerCount);
        long size = 0;
        long subscriptions = 0;
        long replicators = 0;
        long backlog = 0;
        long behind = 0;
        long delay = 0;
        for (TopicStatsImpl each : of.all()) {
            size += each.storageSize;
            subscriptions += each.getSubscriptions().size();
            replicators += each.getReplication().size();
            for (var subscription : each.getSubscriptions().values()) {
                backlog += ((SubscriptionStatsImpl) subscription).msgBacklog;
            }
            for (var other : each.getReplication().values()) {
                behind += ((ReplicatorStatsImpl) other).replicationBacklog;
                delay = Math.max(delay, ((ReplicatorStatsImpl) other).replicationDelayInSeconds);
            }
        }
        metrics.put("brk_storage_size", size);
        metrics.put("brk_no_of_subscriptions", subscriptions);
        metrics.put("brk_no_of_replicators", replicators);
        metrics.put("brk_msg_backlog", backlog);
        metrics.put("brk_replication_backlog", behind);
        metrics.put("brk_max_replication_delay_second", delay);
        return metrics;
    }

    /** There is one: the cache of messages is not of this kind. */
    private static Object allocator(String name) throws AdminException {
        if (!name.equals("default")) {
            throw new AdminException(406, "Invalid allocator name : " + name);
        }
        return ProcessFigures.allocator(PooledByteBufAllocator.DEFAULT.metric());
    }
}
