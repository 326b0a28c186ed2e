package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.topic.KafkaNames;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.NotAuthorizedException;
import org.apache.pulsar.common.policies.data.AuthAction;
import org.apache.pulsar.common.policies.data.Policies;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who may make a namespace with policies and permissions, and what roles may do in it then. */
@Timeout(90)
class NamespaceWithPermissionsTest {
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

    private void createTenant(String name, String... roles) throws Exception {
        admin.client()
                .tenants()
                .createTenant(
                        name,
                        TenantInfo.builder()
                                .adminRoles(Set.of(roles))
                                .allowedClusters(Set.of("standalone"))
                                .build());
    }

    private static Policies granting(String topic) {
        Policies given = new Policies();
        given.auth_policies.getNamespaceAuthentication().put("alice", EnumSet.of(AuthAction.produce));
        given.auth_policies.getTopicAuthentication().put(topic, Map.of("bob", EnumSet.of(AuthAction.consume)));
        given.auth_policies.getSubscriptionAuthentication().put("billing", Set.of("bob"));
        return given;
    }

    @Test
    void itsPermissionsAreThoseOfTheBody() throws Exception {
        createTenant("acme", "alice");
        String topic = "persistent://acme/shop/orders";
        try (TestAdmin hers = new TestAdmin(ruled.gateway, new Principal("alice"))) {
            var namespaces = hers.client().namespaces();
            namespaces.createNamespace("acme/shop", granting(topic));
            assertThat(namespaces.getPermissions("acme/shop"))
                    .isEqualTo(Map.of("alice", EnumSet.of(AuthAction.produce)));
            assertThat(hers.client().topics().getPermissions(topic))
                    .containsEntry("bob", EnumSet.of(AuthAction.consume));
            assertThat(namespaces.getPermissionOnSubscription("acme/shop")).isEqualTo(Map.of("billing", Set.of("bob")));
        }
    }

    @Test
    void onesThatCannotBeMakeNoNamespaceAndNoRule() throws Exception {
        createTenant("acme");
        var namespaces = admin.client().namespaces();
        assertThatThrownBy(() -> namespaces.createNamespace("acme/shop", granting("persistent://acme/other/orders")))
                .isInstanceOf(PulsarAdminException.class)
                .hasMessageContaining("in another namespace");
        Policies functions = new Policies();
        functions.auth_policies.getNamespaceAuthentication().put("alice", EnumSet.of(AuthAction.functions));
        assertThatThrownBy(() -> namespaces.createNamespace("acme/shop", functions))
                .isInstanceOf(PulsarAdminException.class)
                .hasMessageContaining("not supported");
        // a role that no rule can name is seen when the rules are added, after others were
        Policies late = granting("persistent://acme/shop/orders");
        late.auth_policies.getSubscriptionAuthentication().put("more", Set.of("x".repeat(100_000)));
        assertThatThrownBy(() -> namespaces.createNamespace("acme/shop", late))
                .isInstanceOf(PulsarAdminException.class);
        assertThat(namespaces.getNamespaces("acme")).isEmpty();
        assertThat(ruled.rules.find(_ -> true)).isEmpty();
    }

    @Test
    void whoMayOnlyCreateSetsNoPoliciesAndGrantsNothing() throws Exception {
        createTenant("acme");
        var topics = new ResourcePattern(ResourceType.TOPIC, KafkaNames.beginningIn("acme", "shop"), true);
        ruled.rules.add(topics, List.of(new AccessRule(topics, "User:alice", "*", Operation.CREATE, true)));
        Policies limited = new Policies();
        limited.max_producers_per_topic = 1;
        try (TestAdmin hers = new TestAdmin(ruled.gateway, new Principal("alice"))) {
            var namespaces = hers.client().namespaces();
            assertThatThrownBy(() -> namespaces.createNamespace("acme/shop", limited))
                    .isInstanceOf(NotAuthorizedException.class);
            assertThatThrownBy(() -> namespaces.createNamespace("acme/shop", granting("persistent://acme/shop/orders")))
                    .isInstanceOf(NotAuthorizedException.class);
            namespaces.createNamespace("acme/shop", new Policies());
        }
        assertThat(admin.client().namespaces().getMaxProducersPerTopic("acme/shop"))
                .isNull();
    }
}
