package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DESCRIBE;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.pulsar.namespace.ClusterMigration;
import io.sluice.pulsar.namespace.ClusterMigration.Migration;
import io.sluice.pulsar.namespace.ClusterMigration.Target;
import io.sluice.pulsar.namespace.Clusters;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.apache.pulsar.common.policies.data.ClusterPolicies.ClusterUrl;
import org.apache.pulsar.common.policies.data.ClusterPoliciesImpl;
import org.jspecify.annotations.Nullable;

/**
 * Cluster migration: where a cluster's clients go, and which namespaces go (ADR 0114). Differences on purpose: a cluster must be known, and
 * clients must be able to connect to where they are sent, which is not this cluster.
 */
final class ClusterMigrationRoutes {
    private static final String OF_CLUSTER = "/admin/v2/clusters/:cluster/migrate";
    private static final String OF_NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/migration";

    private final GatewayServices services;
    private final PlaceRoutes places;
    private final Clusters clusters;
    private final ClusterMigration migration;
    private final NamespacePolicies policies;

    ClusterMigrationRoutes(GatewayServices services, PlaceRoutes places) {
        this.services = services;
        this.places = places;
        this.clusters = services.replication().clusters();
        this.migration = services.migration();
        this.policies = services.policies();
    }

    void add(Routes routes) {
        routes.cluster(DESCRIBE).get(OF_CLUSTER, this::find);
        routes.cluster(ALTER).post(OF_CLUSTER, this::set);
        routes.cluster(ALTER).post(OF_NAMESPACE, this::setOfNamespace);
    }

    private static AdminException missing() {
        return new AdminException(404, "Cluster does not exist");
    }

    private Object find(AdminRequest r) throws AdminException {
        Migration found = migration.find(r.get("cluster"));
        if (found == null) {
            throw missing();
        }
        Target to = found.url();
        ClusterUrl url = to == null
                ? new ClusterUrl()
                : new ClusterUrl(to.serviceUrl(), to.serviceUrlTls(), to.brokerServiceUrl(), to.brokerServiceUrlTls());
        return new ClusterPoliciesImpl(found.migrated(), url);
    }

    private @Nullable Object set(AdminRequest r) throws AdminException, IOException {
        boolean migrated = Boolean.parseBoolean(r.find("migrated"));
        Target to = target(r);
        if (migrated && to == null) {
            throw new AdminException(400, "Cluster url must not be empty");
        }
        if (!clusters.names().contains(r.get("cluster"))) {
            throw missing();
        }
        if (to != null && clusters.own().equals(r.get("cluster"))) {
            requireElsewhere(to);
        }
        migration.set(r.get("cluster"), new Migration(migrated, to));
        return Routes.NOTHING;
    }

    /** Clients that are sent where they are would come again and again. */
    private void requireElsewhere(Target to) throws AdminException {
        for (ClusterNode node : services.cluster().nodes()) {
            String here = ServiceUrls.binaryOf(services.config(), node);
            if (here != null && (names(to.brokerServiceUrl(), here) || names(to.brokerServiceUrlTls(), here))) {
                throw new AdminException(400, here + " is an address of this cluster itself");
            }
        }
    }

    /** Whether a URL, of several nodes perhaps, has the address of {@code node}'s. */
    private static boolean names(@Nullable String url, String node) {
        return url != null && List.of(addresses(url).split(",")).contains(addresses(node));
    }

    private static String addresses(String url) {
        return url.substring(url.indexOf("://") + "://".length());
    }

    /** Null for nowhere. */
    private static @Nullable Target target(AdminRequest r) throws AdminException {
        ClusterUrl given = PolicyRoutes.read(r.body(), ClusterUrl.class);
        if (given == null) {
            throw new AdminException(400, "Cluster url must not be empty");
        }
        Target to = new Target(
                url(given.getServiceUrl(), "http"),
                url(given.getServiceUrlTls(), "https"),
                url(given.getBrokerServiceUrl(), "pulsar"),
                url(given.getBrokerServiceUrlTls(), "pulsar+ssl"));
        if (to.brokerServiceUrl() != null || to.brokerServiceUrlTls() != null) {
            return to;
        }
        if (to.serviceUrl() != null || to.serviceUrlTls() != null) {
            throw new AdminException(
                    400, "clients need the brokerServiceUrl or brokerServiceUrlTls of the other cluster");
        }
        return null;
    }

    private static @Nullable String url(@Nullable String given, String scheme) throws AdminException {
        if (given == null || given.isBlank()) {
            return null;
        }
        try {
            URI uri = new URI(given.strip());
            if (scheme.equals(uri.getScheme()) && uri.getAuthority() != null) {
                return given.strip();
            }
        } catch (URISyntaxException e) {
            // no better than another scheme
        }
        throw new AdminException(400, "'" + given + "' is no URL that begins with " + scheme + "://");
    }

    private @Nullable Object setOfNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        Boolean migrated = PolicyRoutes.read(r.body(), Boolean.class);
        if (migrated == null) {
            throw new AdminException(400, "the request's body must be true or false");
        }
        policies.change(r.tenant(), r.namespace(), p -> TopicPolicies.MIGRATED.set(p, migrated));
        return null;
    }
}
