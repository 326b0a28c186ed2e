package io.sluice.pulsar.admin;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.nonpersistent.NonPersistentPartitions;
import io.sluice.pulsar.nonpersistent.NonPersistentTopics;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.vertx.core.json.JsonArray;
import java.util.List;
import java.util.TreeSet;

/** Lists of a namespace's non-persistent topics: those that any node has, and all partitions of partitioned ones. Asks the other nodes. */
final class NonPersistentLists {
    /** In a question of another node: only those that are here. */
    static final String HERE = "here";

    private final GatewayServices services;
    private final OtherNodes nodes;

    NonPersistentLists(GatewayServices services, OtherNodes nodes) {
        this.services = services;
        this.nodes = nodes;
    }

    List<String> ofNamespace(AdminRequest r) throws AdminException {
        NonPersistentTopics topics = services.nonPersistent();
        TreeSet<String> names = new TreeSet<>();
        topics.in(r.tenant(), r.namespace()).forEach(each -> names.add(PulsarNames.ofNonPersistent(each)));
        if (r.flag(HERE)) {
            return List.copyOf(names);
        }
        topics.partitions().in(r.tenant(), r.namespace()).forEach(each -> {
            for (int p = 0; p < topics.partitions().find(each); p++) {
                names.add(PulsarNames.ofNonPersistent(new Parsed(each, p)));
            }
        });
        for (ClusterNode node : services.cluster().nodes()) {
            String url = ServiceUrls.httpOf(services.config(), node);
            if (!services.cluster().isSelf(node) && !url.isEmpty()) {
                String uri = "/admin/v2/non-persistent/" + OtherNode.encoded(r.tenant()) + "/"
                        + OtherNode.encoded(r.namespace()) + "?" + HERE + "=true";
                new JsonArray(OtherNode.getFrom(nodes, r, url, uri)).forEach(each -> names.add((String) each));
            }
        }
        return List.copyOf(names);
    }

    /** Partitioned ones by their own name. */
    List<String> partitioned(AdminRequest r) {
        NonPersistentPartitions partitions = services.nonPersistent().partitions();
        return partitions.in(r.tenant(), r.namespace()).stream()
                .map(each -> PulsarNames.ofNonPersistent(new Parsed(each, -1)))
                .toList();
    }
}
