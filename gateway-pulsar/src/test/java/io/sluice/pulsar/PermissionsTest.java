package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.RuleAuthorizer;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.InMemoryMetadata;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.common.policies.data.AuthAction;
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

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final AccessRules rules =
            new AccessRules(metadata, task -> Thread.ofVirtual().start(task));
    private RuleAuthorizer authorizer;
    private TestGateway gateway;
    private TestAdmin admin;

    @BeforeEach
    void start() throws Exception {
        rules.load();
        authorizer = new RuleAuthorizer(rules, Set.of("User:ANONYMOUS"), false);
        gateway = TestGateway.start(authorizer);
        admin = new TestAdmin(gateway);
    }

    @AfterEach
    void stop() throws Exception {
        admin.close();
        gateway.close();
        rules.close();
        metadata.close();
    }

    private boolean allows(Operation operation, String topic) {
        return authorizer.allows(ALICE, operation, TopicName.ofDefault(topic));
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
        assertThat(authorizer.allows(ALICE, Operation.READ, new TopicName("public", "other", "orders")))
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
        topics.revokePermissions(TOPIC, "alice");
        assertThat(allows(Operation.WRITE, "orders")).isFalse();
    }

    @Test
    void rulesThatAreNoPermissionsStayAsTheyAre() throws Exception {
        var pattern = new ResourcePattern(ResourceType.TOPIC, "orders", false);
        List<AccessRule> others = List.of(
                new AccessRule(pattern, "User:alice", "*", Operation.DELETE, true),
                new AccessRule(pattern, "User:alice", "*", Operation.WRITE, false),
                new AccessRule(pattern, "User:alice", "10.0.0.1", Operation.READ, true),
                new AccessRule(pattern, "Group:alice", "*", Operation.READ, true));
        rules.add(pattern, others);
        assertThat(admin.client().topics().getPermissions(TOPIC)).isEmpty();
        admin.client().topics().grantPermission(TOPIC, "alice", BOTH);
        admin.client().topics().revokePermissions(TOPIC, "alice");
        assertThat(rules.find(_ -> true)).containsExactlyInAnyOrderElementsOf(others);
    }

    @Test
    void actionsThatAreNotHereAreRefused() {
        assertThatThrownBy(() -> admin.client()
                        .namespaces()
                        .grantPermissionOnNamespace(NAMESPACE, "alice", EnumSet.of(AuthAction.functions)))
                .isInstanceOf(PulsarAdminException.class)
                .hasMessageContaining("functions");
        assertThat(rules.find(_ -> true)).isEmpty();
    }

    @Test
    void aSchemaRefersToWhatItsWriterMayDescribe() throws Exception {
        ResourcePattern secret = allow("secret");
        allow("orders");
        String schema = "{\"schemaType\":\"JSON\",\"schema\":\"{\\\"type\\\":\\\"string\\\"}\"}";
        String refers = "{\"schemaType\":\"JSON\",\"schema\":\"{\\\"$ref\\\":\\\"s.json\\\"}\","
                + "\"references\":[{\"name\":\"s.json\",\"subject\":\"secret\",\"version\":1}]}";
        try (TestGateway other = TestGateway.start(new RuleAuthorizer(rules, Set.of(), false));
                TestAdmin anonymous = new TestAdmin(other)) {
            assertThat(anonymous
                            .ask("POST", "/subjects/secret/versions", schema)
                            .statusCode())
                    .isEqualTo(200);
            rules.remove(rule -> rule.resource().equals(secret));
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
        rules.add(
                pattern,
                List.of(
                        new AccessRule(pattern, "User:ANONYMOUS", "*", Operation.WRITE, true),
                        new AccessRule(pattern, "User:ANONYMOUS", "*", Operation.DESCRIBE, true)));
        return pattern;
    }

    @Test
    void withoutAccessRulesThereAreNone() throws Exception {
        try (TestGateway open = TestGateway.start();
                TestAdmin all = new TestAdmin(open)) {
            assertThat(all.client().namespaces().getPermissions(NAMESPACE)).isEmpty();
            assertThatThrownBy(() -> all.client().namespaces().grantPermissionOnNamespace(NAMESPACE, "alice", BOTH))
                    .isInstanceOfSatisfying(
                            PulsarAdminException.class,
                            e -> assertThat(e.getStatusCode()).isEqualTo(501));
        }
    }
}
