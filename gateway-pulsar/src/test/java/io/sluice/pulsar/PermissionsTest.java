package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.RuleAuthorizer;
import io.sluice.broker.topic.TopicName;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.impl.ProducerBuilderImpl;
import org.apache.pulsar.common.policies.data.AuthAction;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.SubscriptionAuthMode;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permissions that Pulsar's admin client grants are access rules, and the other way round. */
@Timeout(90)
class PermissionsTest {
    private static final String NAMESPACE = "public/default";
    private static final String TOPIC = "persistent://public/default/orders";
    private static final Set<AuthAction> BOTH = EnumSet.of(AuthAction.produce, AuthAction.consume);
    private static final Principal ALICE = new Principal("alice");

    private RuledGateway ruled;
    private TestAdmin admin;

    @BeforeEach
    void start() throws Exception {
        ruled = new RuledGateway("alice", "bob", "root");
        admin = new TestAdmin(ruled.gateway, new Principal("root"));
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
        ruled.close();
    }

    private boolean allows(Operation operation, String topic) {
        return ruled.authorizer.allows(ALICE, operation, TopicName.ofDefault(topic));
    }

    @Test
    void aNamespacesPermissionsAreForItsTopics() throws Exception {
        var namespaces = admin.client().namespaces();
        assertThat(namespaces.getPermissions(NAMESPACE)).isEmpty();
        namespaces.grantPermissionOnNamespace(NAMESPACE, "alice", BOTH);
        namespaces.grantPermissionOnNamespace(NAMESPACE, "CN=b,O=x/y", EnumSet.of(AuthAction.consume));
        assertThat(namespaces.getPermissions(NAMESPACE))
                .isEqualTo(Map.of("alice", BOTH, "CN=b,O=x/y", EnumSet.of(AuthAction.consume)));
        assertThat(allows(Operation.READ, "orders")).isTrue();
        assertThat(allows(Operation.WRITE, "orders.with_odd:name")).isTrue();
        assertThat(allows(Operation.DESCRIBE, "orders")).isTrue();
        assertThat(allows(Operation.DELETE, "orders")).isFalse();
        assertThat(ruled.authorizer.allows(ALICE, Operation.READ, new TopicName("public", "other", "orders")))
                .isFalse();
        namespaces.grantPermissionOnNamespace(NAMESPACE, "alice", EnumSet.of(AuthAction.produce));
        assertThat(allows(Operation.READ, "orders")).as("replaced").isFalse();
        assertThat(allows(Operation.WRITE, "orders")).isTrue();
        namespaces.revokePermissionsOnNamespace(NAMESPACE, "alice");
        namespaces.revokePermissionsOnNamespace(NAMESPACE, "alice");
        assertThat(namespaces.getPermissions(NAMESPACE)).containsOnlyKeys("CN=b,O=x/y");
        assertThat(allows(Operation.WRITE, "orders")).isFalse();
        assertThatThrownBy(() -> namespaces.getPermissions("public/missing"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    @Test
    void aTopicsPermissionsAreShownWithThoseOfItsNamespace() throws Exception {
        var topics = admin.client().topics();
        admin.client().namespaces().grantPermissionOnNamespace(NAMESPACE, "bob", EnumSet.of(AuthAction.consume));
        topics.grantPermission(TOPIC + "-partition-1", "alice", EnumSet.of(AuthAction.produce));
        assertThat(topics.getPermissions(TOPIC))
                .isEqualTo(Map.of("alice", EnumSet.of(AuthAction.produce), "bob", EnumSet.of(AuthAction.consume)));
        assertThat(allows(Operation.WRITE, "orders")).isTrue();
        assertThat(allows(Operation.WRITE, "orders2")).isFalse();
        assertThatThrownBy(() -> topics.revokePermissions(TOPIC, "bob"))
                .isInstanceOf(PreconditionFailedException.class);
        String live = TOPIC.replace("persistent", "non-persistent");
        assertThat(topics.getPermissions(live)).isEqualTo(topics.getPermissions(TOPIC));
        topics.grantPermission(live, "alice", EnumSet.of(AuthAction.consume));
        assertThat(allows(Operation.READ, "orders")).isTrue();
        assertThat(allows(Operation.WRITE, "orders")).isFalse();
        topics.revokePermissions(live, "alice");
        assertThat(allows(Operation.READ, "orders")).isFalse();
    }

    @Test
    void rulesThatAreNoPermissionsStayAsTheyAre() throws Exception {
        var pattern = new ResourcePattern(ResourceType.TOPIC, "orders", false);
        List<AccessRule> others = List.of(
                new AccessRule(pattern, "User:alice", "*", Operation.DELETE, true),
                new AccessRule(pattern, "User:alice", "*", Operation.WRITE, false),
                new AccessRule(pattern, "User:alice", "10.0.0.1", Operation.READ, true),
                new AccessRule(pattern, "Group:alice", "*", Operation.READ, true));
        ruled.rules.add(pattern, others);
        assertThat(admin.client().topics().getPermissions(TOPIC)).isEmpty();
        admin.client().topics().grantPermission(TOPIC, "alice", BOTH);
        admin.client().topics().revokePermissions(TOPIC, "alice");
        assertThat(ruled.rules.find(_ -> true)).containsExactlyInAnyOrderElementsOf(others);
    }

    @Test
    void actionsThatAreNotHereAreRefused() {
        assertThatThrownBy(() -> admin.client()
                        .namespaces()
                        .grantPermissionOnNamespace(NAMESPACE, "alice", EnumSet.of(AuthAction.functions)))
                .isInstanceOf(PulsarAdminException.class)
                .hasMessageContaining("functions");
        assertThat(ruled.rules.find(_ -> true)).isEmpty();
    }

    @Test
    void aSchemaRefersToWhatItsWriterMayDescribe() throws Exception {
        ResourcePattern secret = allow("secret");
        allow("orders");
        String schema = "{\"schemaType\":\"JSON\",\"schema\":\"{\\\"type\\\":\\\"string\\\"}\"}";
        String refers = "{\"schemaType\":\"JSON\",\"schema\":\"{\\\"$ref\\\":\\\"s.json\\\"}\","
                + "\"references\":[{\"name\":\"s.json\",\"subject\":\"secret\",\"version\":1}]}";
        try (TestGateway other = TestGateway.start(new RuleAuthorizer(ruled.rules, Set.of(), false));
                TestAdmin anonymous = new TestAdmin(other)) {
            assertThat(anonymous
                            .ask("POST", "/subjects/secret/versions", schema)
                            .statusCode())
                    .isEqualTo(200);
            ruled.rules.remove(rule -> rule.resource().equals(secret));
            for (String path : List.of(
                    "/subjects/orders/versions", "/subjects/orders", "/compatibility/subjects/orders/versions")) {
                var answer = anonymous.ask("POST", path, refers);
                assertThat(answer.statusCode() + answer.body())
                        .startsWith("403")
                        .contains("40301")
                        .doesNotContain("string");
            }
            assertThat(anonymous.ask("GET", "/subjects/orders/versions").statusCode())
                    .isEqualTo(404);
        }
    }

    private ResourcePattern allow(String topic) throws Exception {
        ResourcePattern pattern = new ResourcePattern(ResourceType.TOPIC, topic, false);
        ruled.rules.add(
                pattern,
                List.of(
                        new AccessRule(pattern, "User:ANONYMOUS", "*", Operation.WRITE, true),
                        new AccessRule(pattern, "User:ANONYMOUS", "*", Operation.DESCRIBE, true)));
        return pattern;
    }

    /** As in Pulsar: for scripts that set up a server before logins are asked for. */
    @Test
    void withoutAuthorizationTheyAreKeptAndHoldOnceThereIs() throws Exception {
        try (TestGateway open = TestGateway.start();
                TestAdmin all = new TestAdmin(open);
                PulsarClient anybody = open.client();
                AccessRules later = new AccessRules(open.broker().metadata(), Thread::startVirtualThread)) {
            var namespaces = all.client().namespaces();
            assertThat(namespaces.getPermissions(NAMESPACE)).isEmpty();
            namespaces.grantPermissionOnNamespace(NAMESPACE, "alice", BOTH);
            namespaces.grantPermissionOnNamespace(NAMESPACE, "bob", BOTH);
            namespaces.revokePermissionsOnNamespace(NAMESPACE, "bob");
            namespaces.grantPermissionOnSubscription(NAMESPACE, "billing", Set.of("alice"));
            all.client().topics().grantPermission(TOPIC, "bob", EnumSet.of(AuthAction.consume));
            assertThat(namespaces.getPermissions(NAMESPACE)).isEqualTo(Map.of("alice", BOTH));
            assertThat(namespaces.getPermissionOnSubscription(NAMESPACE)).isEqualTo(Map.of("billing", Set.of("alice")));
            assertThat(all.client().topics().getPermissions(TOPIC))
                    .isEqualTo(Map.of("alice", BOTH, "bob", EnumSet.of(AuthAction.consume)));
            anybody.newProducer().topic(TOPIC).create().close(); // nobody is refused yet
            later.load();
            RuleAuthorizer authorizer = new RuleAuthorizer(later, Set.of(), false);
            assertThat(authorizer.allows(ALICE, Operation.WRITE, TopicName.ofDefault("orders")))
                    .isTrue();
            assertThat(authorizer.allows(new Principal("bob"), Operation.READ, TopicName.ofDefault("orders")))
                    .isTrue();
            assertThat(authorizer.allows(new Principal("bob"), Operation.WRITE, TopicName.ofDefault("orders")))
                    .isFalse();
        }
    }

    private static TenantInfo tenant(String... admins) {
        return TenantInfo.builder()
                .adminRoles(Set.of(admins))
                .allowedClusters(Set.of("standalone"))
                .build();
    }

    private static AccessRule everything(String user) {
        var topics = new ResourcePattern(ResourceType.TOPIC, "_ns.acme.", true);
        return new AccessRule(topics, "User:" + user, "*", Operation.ALL, true);
    }

    @Test
    void administratorsOfATenantAreRules() throws Exception {
        var tenants = admin.client().tenants();
        tenants.createTenant("acme", tenant("alice", "CN=b,O=x/y"));
        assertThat(tenants.getTenantInfo("acme")).isEqualTo(tenant("alice", "CN=b,O=x/y"));
        assertThat(ruled.rules.find(_ -> true))
                .containsExactlyInAnyOrder(everything("alice"), everything("CN=b,O=x/y"));
        tenants.updateTenant("acme", tenant("bob"));
        assertThat(ruled.rules.find(_ -> true)).containsExactly(everything("bob"));
        var less = new AccessRule(everything("bob").resource(), "User:bob", "*", Operation.WRITE, false);
        ruled.rules.add(less.resource(), List.of(less, everything("carol")));
        assertThat(tenants.getTenantInfo("acme").getAdminRoles()).containsExactlyInAnyOrder("bob", "carol");
        tenants.deleteTenant("acme");
        assertThat(ruled.rules.find(_ -> true)).containsExactly(less);
        assertThatThrownBy(() -> tenants.getTenantInfo("acme"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    @Test
    void anAdministratorUsesItsTenantAndNoOther() throws Exception {
        admin.client().tenants().createTenant("acme", tenant("alice"));
        admin.client().tenants().createTenant("acme2", tenant("bob"));
        admin.client().namespaces().createNamespace("acme2/shop");
        try (TestAdmin hers = new TestAdmin(ruled.gateway, ALICE);
                PulsarClient client = ruled.client("alice");
                PulsarClient bobs = ruled.client("bob")) {
            var namespaces = hers.client().namespaces();
            namespaces.createNamespace("acme/shop");
            namespaces.setRetention("acme/shop", new RetentionPolicies(1, 1));
            assertThat(namespaces.getNamespaces("acme")).containsExactly("acme/shop");
            assertThat(hers.client().tenants().getTenantInfo("acme")).isEqualTo(tenant("alice"));
            String topic = "persistent://acme/shop/orders";
            try (var consumer = client.newConsumer()
                            .topic(topic)
                            .subscriptionName("hers")
                            .subscribe();
                    var producer = client.newProducer().topic(topic).create()) {
                producer.send(new byte[1]);
                assertThat(consumer.receive(20, TimeUnit.SECONDS)).isNotNull();
            }
            assertThatThrownBy(() -> bobs.newProducer().topic(topic).create())
                    .isInstanceOf(PulsarClientException.AuthorizationException.class);
            namespaces.grantPermissionOnNamespace("acme/shop", "bob", EnumSet.of(AuthAction.produce));
            assertThat(namespaces.getPermissions("acme/shop")).containsOnlyKeys("bob");
            bobs.newProducer().topic(topic).create().close();
            hers.client().topics().deleteSubscription(topic, "hers");
            namespaces.revokePermissionsOnNamespace("acme/shop", "bob");
            hers.client().topics().delete(topic, true);
            assertNothingElseFor(hers, client);
        }
    }

    private static void assertNothingElseFor(TestAdmin hers, PulsarClient client) {
        var namespaces = hers.client().namespaces();
        List<ThrowingCallable> refused = List.of(
                () -> namespaces.getNamespaces("acme2"),
                () -> namespaces.createNamespace("acme2/more"),
                () -> namespaces.deleteNamespace("acme2/shop"),
                () -> namespaces.getPermissions("acme2/shop"),
                () -> namespaces.grantPermissionOnNamespace("acme2/shop", "alice", BOTH),
                () -> namespaces.grantPermissionOnNamespace(NAMESPACE, "alice", BOTH),
                () -> hers.client().topics().createNonPartitionedTopic("persistent://acme2/shop/orders"),
                () -> hers.client().tenants().getTenants(),
                () -> hers.client().tenants().getTenantInfo("acme2"),
                () -> hers.client().tenants().createTenant("hers", tenant("alice")),
                () -> hers.client().tenants().updateTenant("acme", tenant("alice", "mallory")),
                () -> hers.client().tenants().updateTenant("acme2", tenant("alice")),
                () -> hers.client().tenants().deleteTenant("acme"));
        assertThat(refused)
                .allSatisfy(request ->
                        assertThatThrownBy(request).isInstanceOf(PulsarAdminException.NotAuthorizedException.class));
        assertThatThrownBy(() -> client.newProducer()
                        .topic("persistent://acme2/shop/orders")
                        .create())
                .isInstanceOf(PulsarClientException.AuthorizationException.class);
    }

    /** Who may have some rights gives nobody more. */
    @Test
    void onlyAllRightsOnATenantAdministerIt() throws Exception {
        admin.client().tenants().createTenant("acme", tenant());
        admin.client().namespaces().createNamespace("acme/shop");
        var cluster = new ResourcePattern(ResourceType.CLUSTER, ResourcePattern.CLUSTER, false);
        ruled.rules.add(cluster, List.of(new AccessRule(cluster, "User:alice", "*", Operation.CREATE, true)));
        var topics = everything("alice").resource();
        ruled.rules.add(
                topics,
                EnumSet.complementOf(EnumSet.of(Operation.ALL)).stream()
                        .map(operation -> new AccessRule(topics, "User:alice", "*", operation, true))
                        .toList());
        try (TestAdmin hers = new TestAdmin(ruled.gateway, ALICE)) {
            hers.client().namespaces().createNamespace("acme/more");
            hers.client().tenants().createTenant("hers", tenant());
            assertThatThrownBy(() -> hers.client().namespaces().grantPermissionOnNamespace("acme/shop", "alice", BOTH))
                    .isInstanceOf(PulsarAdminException.NotAuthorizedException.class);
            assertThatThrownBy(() -> hers.client().tenants().createTenant("another", tenant("alice")))
                    .isInstanceOf(PulsarAdminException.NotAuthorizedException.class);
            assertThatThrownBy(() -> hers.client().tenants().updateTenant("hers", tenant("alice")))
                    .isInstanceOf(PulsarAdminException.NotAuthorizedException.class);
        }
        assertThat(admin.client().tenants().getTenants()).doesNotContain("another");
    }

    @Test
    void rolesThatCannotBeAreRefusedAndMakeNoTenant() throws Exception {
        String many = IntStream.range(0, 2_001).mapToObj(i -> "\"r" + i + "\"").collect(Collectors.joining(","));
        for (String roles : List.of("\" a\"", "\"\"", "1", "null", "\"" + "a".repeat(600) + "\"", many)) {
            String body = "{\"adminRoles\":[" + roles + "],\"allowedClusters\":[\"standalone\"]}";
            assertThat(admin.ask("PUT", "/admin/v2/tenants/acme", body).statusCode())
                    .as(roles.substring(0, Math.min(9, roles.length())))
                    .isEqualTo(412);
        }
        assertThat(admin.client().tenants().getTenants()).doesNotContain("acme");
        assertThat(ruled.rules.find(_ -> true)).isEmpty();
        String none = "{\"adminRoles\":null,\"allowedClusters\":[\"standalone\"]}";
        assertThat(admin.ask("PUT", "/admin/v2/tenants/acme", none).statusCode())
                .isEqualTo(204);
    }

    private static final String HERS = "_sub._ns.public.default./hers";

    /** Two users who may both consume, and a topic with a subscription of one of them. */
    private void letBothConsume(PulsarClient alice) throws Exception {
        admin.client().namespaces().grantPermissionOnNamespace(NAMESPACE, "alice", BOTH);
        admin.client().namespaces().grantPermissionOnNamespace(NAMESPACE, "bob", BOTH);
        alice.newConsumer().topic(TOPIC).subscriptionName("hers").subscribe().close();
    }

    @Test
    void aSubscriptionWithRolesIsForTheseAlone() throws Exception {
        try (PulsarClient alice = ruled.client("alice");
                PulsarClient bob = ruled.client("bob");
                TestAdmin hers = new TestAdmin(ruled.gateway, ALICE);
                TestAdmin his = new TestAdmin(ruled.gateway, new Principal("bob"))) {
            letBothConsume(alice);
            var namespaces = admin.client().namespaces();
            assertThat(namespaces.getPermissionOnSubscription(NAMESPACE)).isEmpty();
            var open = bob.newConsumer()
                    .topic(TOPIC)
                    .subscriptionName("hers")
                    .subscriptionType(SubscriptionType.Shared)
                    .subscribe();
            namespaces.grantPermissionOnSubscription(NAMESPACE, "hers", Set.of("alice", "carol"));
            assertThat(namespaces.getPermissionOnSubscription(NAMESPACE))
                    .isEqualTo(Map.of("hers", Set.of("alice", "carol")));
            await().until(() -> !open.isConnected());
            open.close();
            assertIsRefused(bob, his);
            alice.newConsumer()
                    .topic(TOPIC)
                    .subscriptionName("hers")
                    .subscribe()
                    .close();
            bob.newConsumer().topic(TOPIC).subscriptionName("his").subscribe().close();
            hers.client().topics().skipAllMessages(TOPIC, "hers");
            his.client().topics().deleteSubscription(TOPIC, "his");
            var pattern = new ResourcePattern(ResourceType.GROUP, HERS, false);
            assertThat(ruled.rules.find(rule -> rule.resource().type() == ResourceType.GROUP))
                    .containsExactlyInAnyOrder(
                            new AccessRule(pattern, "User:alice", "*", Operation.READ, true),
                            new AccessRule(pattern, "User:carol", "*", Operation.READ, true));
            namespaces.revokePermissionOnSubscription(NAMESPACE, "hers", "carol");
            namespaces.revokePermissionOnSubscription(NAMESPACE, "hers", "alice");
            assertThat(namespaces.getPermissionOnSubscription(NAMESPACE)).isEmpty();
            bob.newConsumer().topic(TOPIC).subscriptionName("hers").subscribe().close();
            assertThatThrownBy(() -> namespaces.revokePermissionOnSubscription(NAMESPACE, "hers", "alice"))
                    .isInstanceOf(PulsarAdminException.NotFoundException.class);
        }
    }

    private void assertIsRefused(PulsarClient bob, TestAdmin his) {
        List<ThrowingCallable> commands = List.of(
                () -> bob.newConsumer().topic(TOPIC).subscriptionName("hers").subscribe(),
                () -> bob.newConsumer()
                        .topic("non-persistent://public/default/live")
                        .subscriptionName("hers")
                        .subscribe(),
                () -> bob.newConsumer()
                        .topic("made-by-use")
                        .subscriptionName("hers")
                        .subscribe(),
                () -> ((ProducerBuilderImpl<byte[]>) bob.newProducer().topic(TOPIC))
                        .initialSubscriptionName("hers")
                        .create());
        assertThat(commands)
                .allSatisfy(command ->
                        assertThatThrownBy(command).isInstanceOf(PulsarClientException.AuthorizationException.class));
        assertThat(ruled.gateway.broker().catalogue().find(TopicName.ofDefault("made-by-use")))
                .isNull();
        var topics = his.client().topics();
        List<ThrowingCallable> requests = List.of(
                () -> topics.deleteSubscription(TOPIC, "hers"),
                () -> topics.skipAllMessages(TOPIC, "hers"),
                () -> topics.resetCursor(TOPIC, "hers", 0),
                () -> topics.peekMessages(TOPIC, "hers", 1),
                () -> topics.expireMessages(TOPIC, "hers", 1),
                () -> topics.createSubscription(TOPIC, "hers", MessageId.latest),
                () -> topics.getSubscriptionProperties(TOPIC, "hers"),
                () -> his.client().namespaces().clearNamespaceBacklogForSubscription(NAMESPACE, "hers"),
                () -> his.client().namespaces().unsubscribeNamespace(NAMESPACE, "hers"));
        assertThat(requests)
                .allSatisfy(request ->
                        assertThatThrownBy(request).isInstanceOf(PulsarAdminException.NotAuthorizedException.class));
    }

    @Test
    void aSubscriptionsNameBeginsWithTheRoleWhereThatIsWanted() throws Exception {
        try (PulsarClient alice = ruled.client("alice");
                PulsarClient root = ruled.client("root")) {
            letBothConsume(alice);
            var namespaces = admin.client().namespaces();
            assertThat(namespaces.getSubscriptionAuthMode(NAMESPACE)).isEqualTo(SubscriptionAuthMode.None);
            var open = alice.newConsumer().topic(TOPIC).subscriptionName("hers").subscribe();
            namespaces.setSubscriptionAuthMode(NAMESPACE, SubscriptionAuthMode.Prefix);
            assertThat(namespaces.getSubscriptionAuthMode(NAMESPACE)).isEqualTo(SubscriptionAuthMode.Prefix);
            await().until(() -> !open.isConnected());
            open.close();
            assertThatThrownBy(() -> alice.newConsumer()
                            .topic(TOPIC)
                            .subscriptionName("hers")
                            .subscribe())
                    .isInstanceOf(PulsarClientException.AuthorizationException.class);
            alice.newConsumer()
                    .topic(TOPIC)
                    .subscriptionName("alice-1")
                    .subscribe()
                    .close();
            alice.newReader()
                    .topic(TOPIC)
                    .startMessageId(MessageId.earliest)
                    .subscriptionRolePrefix("alice")
                    .create()
                    .close();
            root.newConsumer().topic(TOPIC).subscriptionName("hers").subscribe().close();
            namespaces.setSubscriptionAuthMode(NAMESPACE, SubscriptionAuthMode.None);
            alice.newConsumer()
                    .topic(TOPIC)
                    .subscriptionName("hers")
                    .subscribe()
                    .close();
        }
    }

    @Test
    void administratorsUseAllSubscriptionsAndSayWhoDoes() throws Exception {
        admin.client().tenants().createTenant("acme", tenant("alice"));
        String topic = "persistent://acme/shop/orders";
        try (TestAdmin hers = new TestAdmin(ruled.gateway, ALICE);
                PulsarClient alice = ruled.client("alice")) {
            var namespaces = hers.client().namespaces();
            namespaces.createNamespace("acme/shop");
            namespaces.setSubscriptionAuthMode("acme/shop", SubscriptionAuthMode.Prefix);
            namespaces.grantPermissionOnSubscription("acme/shop", "a:b/c", Set.of("bob"));
            namespaces.grantPermissionOnNamespace("acme/shop", "bob", BOTH);
            assertThat(namespaces.getPermissionOnSubscription("acme/shop")).isEqualTo(Map.of("a:b/c", Set.of("bob")));
            alice.newConsumer()
                    .topic(topic)
                    .subscriptionName("a:b/c")
                    .subscribe()
                    .close();
            hers.client().topics().delete(topic, true);
            namespaces.deleteNamespace("acme/shop");
            namespaces.createNamespace("acme/shop");
            assertThat(namespaces.getPermissionOnSubscription("acme/shop")).isEmpty();
            assertThat(namespaces.getPermissions("acme/shop")).isEmpty();
            assertThat(namespaces.getSubscriptionAuthMode("acme/shop")).isEqualTo(SubscriptionAuthMode.None);
            assertThat(ruled.rules.find(_ -> true)).containsExactly(everything("alice"));
        }
    }
}
