package io.sluice.pulsar.scripts;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.policies.data.AuthAction;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.SubscriptionAuthMode;
import org.apache.pulsar.common.policies.data.TenantInfo;

/**
 * Random grants by a super user, and between them random things that roles try: to produce, consume, look up, and administer. Each script has a
 * tenant, two namespaces with two topics each, and three roles.
 */
final class PermissionScript {
    static final String SUPER_USER = "root";

    private static final List<String> SUBSCRIPTIONS = List.of("s0", "s1");
    private static final int FIRST_GRANTS = 6;
    private static final RetentionPolicies RETENTION = new RetentionPolicies(1, 1);

    private final Random random;
    private final String tenant;
    private final List<String> roles = new ArrayList<>();
    private final List<String> namespaces;
    private final Set<String> admins = new HashSet<>();
    private int names;
    private int steps;

    /**
     * A thing to do on both servers.
     *
     * @param name the same for all of a kind
     * @param isGrant whether it gives or takes rights, so that an answer which differs ends the script
     */
    record Step(String name, String text, boolean isGrant, Action action) {}

    interface Action {
        void run(RoleClients side) throws Exception;
    }

    private interface OfClient {
        AutoCloseable run(PulsarClient client) throws Exception;
    }

    private interface OfAdmin {
        void run(PulsarAdmin admin) throws Exception;
    }

    /** @param run part of the names: each run has its own tenants and roles */
    PermissionScript(long seed, String run) {
        random = new Random(seed);
        tenant = "t" + seed + "-" + run;
        namespaces = List.of(tenant + "/a", tenant + "/b");
        for (int i = 0; i < 3; i++) {
            roles.add("r" + i + "-" + tenant);
        }
    }

    /** Makes what the script uses. */
    void begin(RoleClients side) throws Exception {
        PulsarAdmin root = side.admin(SUPER_USER);
        root.tenants().createTenant(tenant, tenantInfo(root));
        for (String namespace : namespaces) {
            root.namespaces().createNamespace(namespace);
            for (int i = 0; i < 2; i++) {
                root.topics().createNonPartitionedTopic(topic(namespace, i));
                for (String subscription : SUBSCRIPTIONS) {
                    root.topics().createSubscription(topic(namespace, i), subscription, MessageId.latest);
                }
            }
        }
    }

    private TenantInfo tenantInfo(PulsarAdmin admin) throws Exception {
        return TenantInfo.builder()
                .adminRoles(Set.copyOf(admins))
                .allowedClusters(Set.copyOf(admin.clusters().getClusters()))
                .build();
    }

    private static String topic(String namespace, int number) {
        return "persistent://" + namespace + "/t" + number;
    }

    private <T> T some(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String someTopic() {
        return topic(some(namespaces), random.nextInt(2));
    }

    private Set<AuthAction> someActions() {
        return switch (random.nextInt(3)) {
            case 0 -> EnumSet.of(AuthAction.produce);
            case 1 -> EnumSet.of(AuthAction.consume);
            default -> EnumSet.of(AuthAction.produce, AuthAction.consume);
        };
    }

    Step next() {
        return steps++ < FIRST_GRANTS || random.nextInt(4) == 0
                ? grant(SUPER_USER, random.nextInt(7))
                : use(some(roles), random.nextInt(USES));
    }

    private Step grant(String by, int kind) {
        String role = some(roles);
        String namespace = some(namespaces);
        String topic = topic(namespace, random.nextInt(2));
        String subscription = some(SUBSCRIPTIONS);
        Set<AuthAction> actions = someActions();
        return switch (kind) {
            case 0, 1 ->
                right(
                        by,
                        "grant on namespace",
                        namespace + " " + role + actions,
                        a -> a.namespaces().grantPermissionOnNamespace(namespace, role, actions));
            case 2 ->
                right(
                        by,
                        "revoke on namespace",
                        namespace + " " + role,
                        a -> a.namespaces().revokePermissionsOnNamespace(namespace, role));
            case 3 ->
                right(
                        by,
                        "grant on topic",
                        topic + " " + role + actions,
                        a -> a.topics().grantPermission(topic, role, actions));
            case 4 ->
                right(by, "revoke on topic", topic + " " + role, a -> a.topics().revokePermissions(topic, role));
            case 5 -> subscriptionRight(by, namespace, subscription, role);
            default -> tenantAdmins(by, role);
        };
    }

    private Step subscriptionRight(String by, String namespace, String subscription, String role) {
        String on = namespace + " " + subscription + " " + role;
        return switch (random.nextInt(3)) {
            case 0 ->
                right(
                        by,
                        "grant on subscription",
                        on,
                        a -> a.namespaces().grantPermissionOnSubscription(namespace, subscription, Set.of(role)));
            case 1 ->
                right(
                        by,
                        "revoke on subscription",
                        on,
                        a -> a.namespaces().revokePermissionOnSubscription(namespace, subscription, role));
            default -> {
                SubscriptionAuthMode mode = some(List.of(SubscriptionAuthMode.values()));
                yield right(
                        by,
                        "subscription mode",
                        namespace + " " + mode,
                        a -> a.namespaces().setSubscriptionAuthMode(namespace, mode));
            }
        };
    }

    private Step tenantAdmins(String by, String role) {
        if (!admins.remove(role)) {
            admins.add(role);
        }
        Set<String> now = Set.copyOf(admins);
        return right(
                by,
                "tenant admins",
                tenant + " " + now,
                a -> a.tenants()
                        .updateTenant(
                                tenant,
                                TenantInfo.builder()
                                        .adminRoles(now)
                                        .allowedClusters(Set.copyOf(a.clusters().getClusters()))
                                        .build()));
    }

    private static final int USES = 49;

    private Step use(String role, int kind) {
        String topic = someTopic();
        String namespace = some(namespaces);
        String subscription = some(SUBSCRIPTIONS);
        return switch (kind) {
            case 0, 1, 2, 3 ->
                client(role, "produce", topic, c -> c.newProducer().topic(topic).create());
            case 4, 5, 6, 7 -> subscribe(role, topic, subscription);
            case 8 -> subscribe(role, topic, role + "-own");
            case 9, 10 ->
                client(
                        role,
                        "read",
                        topic,
                        c -> c.newReader()
                                .topic(topic)
                                .subscriptionRolePrefix(role)
                                .startMessageId(MessageId.earliest)
                                .create());
            case 11 ->
                client(role, "partitions", topic, c -> {
                    c.getPartitionsForTopic(topic).get();
                    return () -> {};
                });
            case 12 -> topic(role, "lookup", topic, a -> a.lookups().lookupTopic(topic));
            case 13 -> topic(role, "stats", topic, a -> a.topics().getStats(topic));
            case 14 -> topic(role, "internal stats", topic, a -> a.topics().getInternalStats(topic));
            case 15 -> topic(role, "subscriptions", topic, a -> a.topics().getSubscriptions(topic));
            case 16 ->
                topic(role, "partitioned metadata", topic, a -> a.topics().getPartitionedTopicMetadata(topic));
            case 17 ->
                topic(role, "permissions of topic", topic, a -> a.topics().getPermissions(topic));
            case 18 -> topic(role, "last message id", topic, a -> a.topics().getLastMessageId(topic));
            case 19 ->
                topic(
                        role,
                        "create subscription",
                        topic,
                        a -> a.topics().createSubscription(topic, subscription, MessageId.latest));
            case 20 ->
                ofSubscription(
                        role, "skip", topic, subscription, a -> a.topics().skipAllMessages(topic, subscription));
            case 21 ->
                ofSubscription(
                        role, "reset", topic, subscription, a -> a.topics().resetCursor(topic, subscription, 1L));
            case 22 ->
                ofSubscription(
                        role, "expire", topic, subscription, a -> a.topics().expireMessages(topic, subscription, 1));
            case 23 ->
                ofSubscription(
                        role, "peek", topic, subscription, a -> a.topics().peekMessages(topic, subscription, 1));
            case 24 -> {
                String made = namespace + "/made" + names++;
                yield topic(
                        role, "create topic", made, a -> a.topics().createNonPartitionedTopic("persistent://" + made));
            }
            case 25 -> {
                String made = namespace + "/parts" + names++;
                yield topic(
                        role,
                        "create partitioned topic",
                        made,
                        a -> a.topics().createPartitionedTopic("persistent://" + made, 2));
            }
            case 26 -> {
                String missing = "persistent://" + namespace + "/missing" + names++;
                yield topic(role, "delete topic", missing, a -> a.topics().delete(missing));
            }
            case 27 -> topic(role, "unload topic", topic, a -> a.topics().unload(topic));
            case 28 -> topic(role, "compact", topic, a -> a.topics().triggerCompaction(topic));
            case 29 ->
                topic(role, "topic retention", topic, a -> a.topicPolicies().setRetention(topic, RETENTION));
            case 30 ->
                topic(role, "topics of namespace", namespace, a -> a.topics().getList(namespace));
            case 31 -> topic(role, "policies", namespace, a -> a.namespaces().getPolicies(namespace));
            case 32 -> topic(role, "permissions", namespace, a -> a.namespaces().getPermissions(namespace));
            case 33 -> topic(role, "namespaces", tenant, a -> a.namespaces().getNamespaces(tenant));
            case 34 -> {
                String made = tenant + "/made" + names++;
                yield topic(role, "create namespace", made, a -> a.namespaces().createNamespace(made));
            }
            case 35 -> topic(role, "retention", namespace, a -> a.namespaces().setRetention(namespace, RETENTION));
            case 36 -> topic(role, "tenants", "", a -> a.tenants().getTenants());
            case 37 -> topic(role, "tenant", tenant, a -> a.tenants().getTenantInfo(tenant));
            case 38 ->
                ofSubscription(
                        role,
                        "delete subscription",
                        topic,
                        "gone",
                        a -> a.topics().deleteSubscription(topic, "gone"));
            default -> useMore(role, kind, topic, namespace);
        };
    }

    private Step useMore(String role, int kind, String topic, String namespace) {
        return switch (kind) {
            case 39 -> topic(role, "schema", topic, a -> a.schemas().getSchemaInfo(topic));
            case 40 ->
                topic(role, "get retention", namespace, a -> a.namespaces().getRetention(namespace));
            case 41 ->
                topic(role, "get topic retention", topic, a -> a.topicPolicies().getRetention(topic));
            case 42 ->
                topic(role, "clear backlog", namespace, a -> a.namespaces().clearNamespaceBacklog(namespace));
            case 43 ->
                topic(role, "unload namespace", namespace, a -> a.namespaces().unload(namespace));
            case 44 ->
                topic(role, "delete namespace", namespace, a -> a.namespaces().deleteNamespace(tenant + "/missing"));
            case 45 -> topic(role, "delete tenant", tenant, a -> a.tenants().deleteTenant(tenant + "-missing"));
            case 46 -> topic(role, "active brokers", "", a -> a.brokers().getActiveBrokers());
            case 47 -> topic(role, "compaction status", topic, a -> a.topics().compactionStatus(topic));
            default -> grant(role, random.nextInt(6));
        };
    }

    private static Step subscribe(String role, String topic, String subscription) {
        return client(
                role,
                "consume",
                topic + " " + subscription,
                c -> c.newConsumer()
                        .topic(topic)
                        .subscriptionName(subscription)
                        .subscriptionType(SubscriptionType.Shared)
                        .subscribe());
    }

    private static Step client(String role, String name, String on, OfClient doing) {
        return new Step(
                name,
                role + ": " + name + " " + on,
                false,
                side -> doing.run(side.client(role)).close());
    }

    private static Step ofSubscription(String role, String name, String topic, String subscription, OfAdmin doing) {
        return topic(role, name, topic + " " + subscription, doing);
    }

    private static Step topic(String role, String name, String on, OfAdmin doing) {
        return new Step(name, role + ": " + name + " " + on, false, side -> doing.run(side.admin(role)));
    }

    private static Step right(String by, String name, String on, OfAdmin doing) {
        return new Step(name, by + ": " + name + " " + on, true, side -> doing.run(side.admin(by)));
    }
}
