package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.CREATE;
import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.DESCRIBE;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.namespace.Clusters;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.pulsar.common.policies.data.ClusterData;
import org.apache.pulsar.common.policies.data.ClusterDataImpl;
import org.jspecify.annotations.Nullable;

/**
 * Records of clusters. The server's own is made of its settings. Differences on purpose: it cannot be changed; what a client logs in with, and
 * passwords of its keys, are not shown, and stay as they are in an update that leaves them out; and a cluster is not deleted while something
 * is replicated to it.
 */
final class ClusterRoutes {
    private static final String CLUSTERS = "/admin/v2/clusters";
    private static final String CLUSTER = CLUSTERS + "/:cluster";

    private final GatewayServices services;
    private final Clusters clusters;
    private final InetSocketAddress binary;

    /** @param binary where the binary protocol listens */
    ClusterRoutes(GatewayServices services, InetSocketAddress binary) {
        this.services = services;
        this.clusters = services.replication().clusters();
        this.binary = binary;
    }

    void add(Routes routes) {
        var look = routes.cluster(DESCRIBE);
        look.get(CLUSTERS, r -> new JsonArray(List.copyOf(clusters.names())));
        look.get(CLUSTER, this::cluster);
        look.get(CLUSTER + "/peers", this::peers);
        routes.cluster(CREATE).put(CLUSTER, this::create);
        routes.cluster(ALTER).post(CLUSTER, this::update);
        routes.cluster(ALTER).post(CLUSTER + "/peers", this::setPeers);
        routes.cluster(DELETE).delete(CLUSTER, this::delete);
    }

    private static String nameIn(AdminRequest r) {
        return r.get("cluster");
    }

    private static AdminException missing() {
        return new AdminException(404, "Cluster does not exist");
    }

    private Object cluster(AdminRequest r) throws AdminException {
        if (nameIn(r).equals(clusters.own())) {
            String url = ServiceUrls.of(services.config(), "", binary);
            return ClusterData.builder()
                    .serviceUrl(services.config().httpUrl())
                    .brokerServiceUrl(ServiceUrls.plain(url))
                    .brokerServiceUrlTls(ServiceUrls.secure(url))
                    .build();
        }
        return withoutSecrets(other(r));
    }

    private ClusterDataImpl other(AdminRequest r) throws AdminException {
        ClusterDataImpl data = clusters.find(nameIn(r));
        if (data == null) {
            throw missing();
        }
        return data;
    }

    private Object peers(AdminRequest r) throws AdminException {
        if (nameIn(r).equals(clusters.own())) {
            return Routes.NOTHING;
        }
        Set<String> peers = other(r).getPeerClusterNames();
        return PolicyRoutes.orNothing(peers == null ? null : new JsonArray(List.copyOf(peers)));
    }

    /** Clusters with which it is not in one namespace. */
    private @Nullable Object setPeers(AdminRequest r) throws AdminException, IOException {
        refuseOwn(r, "changed");
        ClusterDataImpl data = other(r);
        LinkedHashSet<String> peers =
                new LinkedHashSet<>(PlaceRoutes.names(r.body().isBlank() ? null : new JsonArray(r.body())));
        for (String peer : peers) {
            if (peer.equals(nameIn(r))) {
                throw new AdminException(412, peer + " itself can't be part of peer-list");
            }
            if (!clusters.names().contains(peer)) {
                throw new AdminException(412, "Peer cluster " + peer + " does not exist");
            }
        }
        clusters.update(nameIn(r), data.clone().peerClusterNames(peers).build());
        return null;
    }

    private static ClusterDataImpl withoutSecrets(ClusterDataImpl data) {
        return data.clone()
                .authenticationParameters(null)
                .brokerClientTlsKeyStorePassword(null)
                .brokerClientTlsTrustStorePassword(null)
                .brokerClientSslFactoryPluginParams(null)
                .build();
    }

    /** Adds the secrets there are to what is given, where that says nothing of them and logs in by the same means. */
    private static ClusterDataImpl withSecretsOf(@Nullable ClusterDataImpl before, ClusterDataImpl given) {
        if (before == null) {
            return given;
        }
        ClusterDataImpl.ClusterDataImplBuilder all = given.clone();
        boolean same = Objects.equals(given.getAuthenticationPlugin(), before.getAuthenticationPlugin());
        if (given.getAuthenticationParameters() == null && same) {
            all.authenticationParameters(before.getAuthenticationParameters());
        }
        if (given.getBrokerClientTlsKeyStorePassword() == null) {
            all.brokerClientTlsKeyStorePassword(before.getBrokerClientTlsKeyStorePassword());
        }
        if (given.getBrokerClientTlsTrustStorePassword() == null) {
            all.brokerClientTlsTrustStorePassword(before.getBrokerClientTlsTrustStorePassword());
        }
        if (given.getBrokerClientSslFactoryPluginParams() == null) {
            all.brokerClientSslFactoryPluginParams(before.getBrokerClientSslFactoryPluginParams());
        }
        return all.build();
    }

    private static ClusterDataImpl given(AdminRequest r) throws AdminException {
        ClusterDataImpl data = PolicyRoutes.read(r.body(), ClusterDataImpl.class);
        if (data == null) {
            throw new AdminException(400, "cluster data is required");
        }
        try {
            data.checkPropertiesIfPresent();
        } catch (IllegalArgumentException e) {
            throw new AdminException(400, String.valueOf(e.getMessage()));
        }
        return data;
    }

    private Object create(AdminRequest r) throws AdminException, IOException {
        if (!PulsarNames.isNamedEntity(nameIn(r))) {
            throw new AdminException(412, "Cluster name is not valid");
        }
        if (!clusters.create(nameIn(r), given(r))) {
            throw new AdminException(409, "Cluster already exists");
        }
        return Routes.NOTHING;
    }

    private Object update(AdminRequest r) throws AdminException, IOException {
        refuseOwn(r, "changed");
        if (!clusters.update(nameIn(r), withSecretsOf(clusters.find(nameIn(r)), given(r)))) {
            throw missing();
        }
        return Routes.NOTHING;
    }

    private void refuseOwn(AdminRequest r, String what) throws AdminException {
        if (nameIn(r).equals(clusters.own())) {
            throw new AdminException(412, "the record of the server's own cluster cannot be " + what);
        }
    }

    private @Nullable Object delete(AdminRequest r) throws AdminException, IOException {
        refuseOwn(r, "deleted");
        if (services.replication().isUsed(nameIn(r))) {
            throw new AdminException(412, "Cluster not empty");
        }
        if (!clusters.delete(nameIn(r))) {
            throw missing();
        }
        return null;
    }
}
