package io.sluice.pulsar.admin;

import io.sluice.broker.access.Right;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.store.container.Tasks;
import io.vertx.ext.web.Router;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pulsar's REST interface as far as it goes: look-up, topics, subscriptions, schemas, transactions, tenants, namespaces, clusters, brokers.
 * Errors are {@code {"reason": ...}} with Pulsar's status codes; what Pulsar has and is not here answers 501 and says so.
 */
public final class PulsarAdminApi {
    private final GatewayServices services;
    private final Tasks tasks;
    private final InetSocketAddress binary;
    private final Supplier<@Nullable String> health;
    private final ServingWait serving;
    private final OtherNodes nodes;
    private final ServerStores stores;

    /**
     * @param services see {@link io.sluice.pulsar.PulsarGateway#services}
     * @param tasks runs requests, which may block
     * @param binary where the binary protocol listens; look-ups answer it unless a host is advertised
     * @param health null if all is well, else what is not, in one line; may block
     * @param nodes way to the others of a cluster
     * @param stores below this server
     */
    public PulsarAdminApi(
            GatewayServices services,
            Tasks tasks,
            InetSocketAddress binary,
            Supplier<@Nullable String> health,
            OtherNodes nodes,
            ServerStores stores) {
        this(services, tasks, binary, health, nodes, stores, ServingWait.USUAL.patience());
    }

    /** @param patience how long a request waits for a node that serves what it is about */
    public PulsarAdminApi(
            GatewayServices services,
            Tasks tasks,
            InetSocketAddress binary,
            Supplier<@Nullable String> health,
            OtherNodes nodes,
            ServerStores stores,
            Duration patience) {
        this.services = services;
        this.tasks = tasks;
        this.binary = binary;
        this.health = health;
        this.nodes = nodes;
        this.stores = stores;
        this.serving = new ServingWait(patience);
    }

    /**
     * Adds the routes under {@code /admin/}, {@code /lookup/} and {@code /topics/}, and those of the schema registry.
     *
     * @return each as {@code GET /path/:parameter}, with the rights of which it needs one; one to a namespace is one to a topic
     */
    public Map<String, Set<Right>> mount(Router router) {
        Routes routes = new Routes(router, new Gates(services.topics()), tasks);
        AdminTopics topics = new AdminTopics(services, serving, nodes);
        new LookupRoutes(services, binary, serving).add(routes);
        SubscriptionRoutes subscriptions = new SubscriptionRoutes(topics);
        subscriptions.add(routes);
        new PulsarTopicRoutes(topics).add(routes);
        new MessageRoutes(topics).add(routes);
        new BacklogRoutes(topics).add(routes);
        new SubscriptionPropertyRoutes(topics).add(routes);
        NonPersistentPlaces live = new NonPersistentPlaces(services, serving);
        new NonPersistentRoutes(services, live, nodes).add(routes);
        new NotKeptRefusals(live).add(routes);
        new PublishRoutes(topics, live).add(routes);
        TopicPolicyRoutes policies = new TopicPolicyRoutes(topics, live);
        new RetentionRoutes(topics, stores.retention()).add(routes);
        new OffloadRoutes(topics).add(routes);
        new ScalableRoutes(topics, new ScalableSubscriptionRoutes(topics)).add(routes);
        new SegmentRoutes(topics).add(routes);
        new SchemaRoutes(topics).add(routes);
        PlaceRoutes places = new PlaceRoutes(services, health, nodes);
        new TenantRoutes(services).add(routes);
        new ClusterRoutes(services, binary).add(routes);
        new ReplicationRoutes(topics, places).add(routes);
        new AllowedClusterRoutes(topics, places).add(routes);
        new ResourceGroupRoutes(topics, places).add(routes);
        new ClusterMigrationRoutes(services, places).add(routes);
        new ShadowTopicRoutes(topics).add(routes, policies);
        SubscriptionRateRoutes.add(routes, policies);
        new NotKeptPolicyRoutes(services, live).add(routes);
        new NotKeptInside(services, live, nodes).add(routes);
        new BacklogQuotaRoutes(topics, places).add(routes);
        new BrokerConfigurationRoutes(services).add(routes);
        new BrokerStatsRoutes(topics, binary).add(routes);
        new StoreRoutes(topics, stores).add(routes);
        places.add(routes);
        new NamespaceCreation(services).add(routes);
        new PolicyRoutes(topics, places, stores.copies()).add(routes);
        new DelayRoutes(topics, places).add(routes);
        new ExpiryRoutes(topics, places).add(routes);
        new EndRoutes(topics, subscriptions).add(routes);
        new PermissionRoutes(services, places).add(routes);
        new TopicPermissionRoutes(services).add(routes);
        new SubscriptionPermissionRoutes(services, places).add(routes);
        new PolicyTable(topics, places, policies).add(routes);
        new SnapshotIntervalRoutes(topics, places, policies).add(routes);
        new SchemaPolicyRoutes(topics, places, policies).add(routes);
        new PropertyRoutes(topics, places, policies).add(routes);
        new NamespaceBacklogRoutes(topics, places, nodes).add(routes);
        new CompactionRoutes(topics, places).add(routes);
        new DurabilityRoutes(topics, places).add(routes);
        new TransactionRoutes(topics).add(routes);
        new TruncateRoute(topics).add(routes);
        new TransactionLogRoutes(topics).add(routes);
        new RegistryRoutes(services.registry(), services.topics()).add(routes);
        routes.otherwiseOfRegistry(RegistryRoutes.PATHS);
        routes.otherwise("/admin/*", "/lookup/*", "/topics/*");
        return routes.rights();
    }
}
