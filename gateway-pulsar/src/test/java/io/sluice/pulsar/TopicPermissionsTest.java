package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.access.Principal;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.client.admin.GrantTopicPermissionOptions;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.admin.RevokeTopicPermissionOptions;
import org.apache.pulsar.common.policies.data.AuthAction;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permissions on several topics by one request. */
@Timeout(90)
class TopicPermissionsTest {
    private static TenantInfo tenant(String... roles) {
        return TenantInfo.builder()
                .adminRoles(Set.of(roles))
                .allowedClusters(Set.of("standalone"))
                .build();
    }

    @Test
    void permissionsOnSeveralTopicsAreOfTheAdministratorsOfAllTheirTenants() throws Exception {
        try (RuledGateway ruled = new RuledGateway("alice", "bob", "root");
                TestAdmin admin = new TestAdmin(ruled.gateway, new Principal("root"))) {
            check(ruled, admin);
        }
    }

    private static void check(RuledGateway ruled, TestAdmin admin) throws Exception {
        admin.client().tenants().createTenant("acme", tenant("alice"));
        admin.client().tenants().createTenant("acme2", tenant());
        admin.client().namespaces().createNamespace("acme/shop");
        admin.client().namespaces().createNamespace("acme2/shop");
        List<String> hers = List.of("persistent://acme/shop/a", "persistent://acme/shop/b");
        String other = "persistent://acme2/shop/c";
        try (TestAdmin alices = new TestAdmin(ruled.gateway, new Principal("alice"))) {
            var namespaces = alices.client().namespaces();
            assertThatThrownBy(() -> namespaces.grantPermissionOnTopics(
                            grants(List.of(hers.getFirst(), other), AuthAction.produce)))
                    .isInstanceOf(PulsarAdminException.NotAuthorizedException.class);
            assertThatThrownBy(() -> namespaces.grantPermissionOnTopics(grants(hers, AuthAction.functions)))
                    .isInstanceOf(PulsarAdminException.class);
            assertThat(alices.ask("POST", "/admin/v2/namespaces/grantPermissionsOnTopics", "[7]")
                            .statusCode())
                    .isEqualTo(403);
            var topics = admin.client().topics();
            assertThat(topics.getPermissions(hers.getFirst())).isEmpty();
            namespaces.grantPermissionOnTopics(grants(hers, AuthAction.produce));
            for (String topic : hers) {
                assertThat(topics.getPermissions(topic)).isEqualTo(Map.of("bob", EnumSet.of(AuthAction.produce)));
            }
            assertThatThrownBy(() -> namespaces.revokePermissionOnTopics(
                            List.of(revoke(hers.getFirst()), revoke("persistent://acme/shop/none"))))
                    .isInstanceOf(PreconditionFailedException.class);
            assertThat(topics.getPermissions(hers.getFirst())).isNotEmpty();
            namespaces.revokePermissionOnTopics(
                    hers.stream().map(TopicPermissionsTest::revoke).toList());
            assertThat(topics.getPermissions(hers.getLast())).isEmpty();
            admin.client().namespaces().grantPermissionOnTopics(grants(List.of(other), AuthAction.consume));
            assertThat(topics.getPermissions(other)).isEqualTo(Map.of("bob", EnumSet.of(AuthAction.consume)));
        }
        for (String bad :
                List.of("", "[]", "{}", "[7]", "[{\"topic\": \"a\"}]", "[{\"topic\": \"x://a\", \"role\": \"b\"}]")) {
            assertThat(admin.ask("POST", "/admin/v2/namespaces/revokePermissionsOnTopics", bad)
                            .statusCode())
                    .as(bad)
                    .isBetween(400, 412);
        }
    }

    private static List<GrantTopicPermissionOptions> grants(List<String> topics, AuthAction action) {
        return topics.stream()
                .map(topic -> GrantTopicPermissionOptions.builder()
                        .topic(topic)
                        .role("bob")
                        .actions(Set.of(action))
                        .build())
                .toList();
    }

    private static RevokeTopicPermissionOptions revoke(String topic) {
        return RevokeTopicPermissionOptions.builder().topic(topic).role("bob").build();
    }
}
