package io.sluice.broker.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.InMemoryMetadata;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AccessRulesTest {
    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);
    private static final ResourcePattern ORDERS = topics("orders", false);
    private static final Principal ALICE =
            new Principal("alice", Set.of("staff"), Authentication.SCRAM, "", "10.0.0.1");
    private static final Principal BOB = new Principal("bob", Set.of(), Authentication.SCRAM, "", "10.0.0.2");

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final AccessRules rules = new AccessRules(metadata, TASKS);
    private final RuleAuthorizer authorizer = new RuleAuthorizer(rules, Set.of("User:root", "Group:ops"), false);

    @BeforeEach
    void load() throws IOException {
        rules.load();
    }

    @AfterEach
    void close() {
        rules.close();
        metadata.close();
    }

    private static ResourcePattern topics(String name, boolean prefixed) {
        return new ResourcePattern(ResourceType.TOPIC, name, prefixed);
    }

    private void allow(ResourcePattern pattern, String principal, Operation operation) throws Exception {
        rules.add(pattern, List.of(new AccessRule(pattern, principal, "*", operation, true)));
    }

    private boolean reads(Principal who, String topic) {
        return authorizer.allows(who, Operation.READ, TopicName.ofDefault(topic));
    }

    @Test
    void rulesAreTheSameAfterAStartAndInOtherNodes() throws Exception {
        AccessRule odd = new AccessRule(ORDERS, "User:CN=a b, O=ü:*", "::1", Operation.READ, false);
        try (AccessRules other = new AccessRules(metadata, TASKS)) {
            other.load();
            assertThat(rules.add(ORDERS, List.of(odd))).isOne();
            until(() -> other.find(all -> true).size() == 1);
            assertThat(other.add(ORDERS, List.of(odd))).isZero();
            assertThat(other.find(all -> true)).containsExactly(odd);
            assertThat(other.remove(odd::equals)).containsExactly(odd);
            until(() -> rules.find(all -> true).isEmpty());
            assertThat(other.remove(odd::equals)).isEmpty();
        }
        allow(topics("orders-", true), "User:alice", Operation.READ);
        try (AccessRules again = new AccessRules(metadata, TASKS)) {
            again.load();
            assertThat(new RuleAuthorizer(again, Set.of(), false)
                            .allows(ALICE, Operation.READ, TopicName.ofDefault("orders-1")))
                    .isTrue();
        }
    }

    @Test
    void anAnswerLastsUntilARuleChangesHereOrAtAnotherNode() throws Exception {
        assertThat(reads(ALICE, "orders")).isFalse();
        allow(ORDERS, "User:alice", Operation.READ);
        assertThat(reads(ALICE, "orders")).isTrue();
        try (AccessRules other = new AccessRules(metadata, TASKS)) {
            other.load();
            other.remove(all -> true);
            until(() -> !reads(ALICE, "orders"));
        }
    }

    @Test
    void groupsAndSuperUsersAreAskedFor() throws Exception {
        allow(ORDERS, "Group:staff", Operation.READ);
        assertThat(reads(ALICE, "orders")).isTrue();
        assertThat(reads(BOB, "orders")).isFalse();
        AccessRule denied = new AccessRule(ORDERS, "Group:staff", "10.0.0.1", Operation.ALL, false);
        rules.add(ORDERS, List.of(denied));
        assertThat(reads(ALICE, "orders")).isFalse();
        assertThat(reads(new Principal("root"), "orders")).isTrue();
        assertThat(reads(new Principal("eve", Set.of("ops"), Authentication.TOKEN, "", ""), "orders"))
                .isTrue();
        assertThat(authorizer.allowsOnCluster(new Principal("root"), Operation.ALTER))
                .isTrue();
        assertThat(authorizer.allowsOnCluster(ALICE, Operation.DESCRIBE)).isFalse();
    }

    @Test
    void aNamespaceIsTheBeginningOfItsTopics() throws Exception {
        TopicName there = new TopicName("acme", "shop", "orders");
        allow(topics("_ns.acme.", true), "User:alice", Operation.WRITE);
        assertThat(authorizer.allows(ALICE, Operation.WRITE, there)).isTrue();
        assertThat(authorizer.allowsOnNamespace(ALICE, Operation.DESCRIBE, "acme", "shop"))
                .isTrue();
        assertThat(authorizer.allowsOnNamespace(ALICE, Operation.ALTER, "acme", "shop"))
                .isFalse();
        assertThat(authorizer.allowsOnNamespace(ALICE, Operation.DESCRIBE, "acme2", "shop"))
                .isFalse();
        allow(ORDERS, "User:bob", Operation.READ);
        assertThat(authorizer.allows(BOB, Operation.READ, TopicName.ofDefault("orders/0000-7fff-1")))
                .isTrue();
    }

    @Test
    void whereNoRuleAppliesTheSettingDecides() throws Exception {
        RuleAuthorizer lenient = new RuleAuthorizer(rules, Set.of(), true);
        TopicName orders = TopicName.ofDefault("orders");
        assertThat(lenient.allows(BOB, Operation.READ, orders)).isTrue();
        allow(ORDERS, "User:alice", Operation.READ);
        assertThat(lenient.allows(BOB, Operation.READ, orders)).isFalse();
    }

    private static SubscriptionName subscription(String name, boolean roleFirst) {
        return new SubscriptionName("acme", "shop", name, roleFirst);
    }

    @Test
    void aSubscriptionIsForAllUntilARuleNamesIt() throws Exception {
        RuleAuthorizer lenient = new RuleAuthorizer(rules, Set.of("User:root"), true);
        var readers = new ResourcePattern(ResourceType.GROUP, "_sub._ns.acme.shop./readers", false);
        assertThat(readers.name()).isEqualTo(subscription("readers", false).resource());
        for (RuleAuthorizer each : List.of(authorizer, lenient)) {
            assertThat(each.allowsSubscription(BOB, subscription("readers", false)))
                    .isTrue();
            assertThat(each.allowsSubscription(BOB, subscription("readers", true)))
                    .isFalse();
            assertThat(each.allowsSubscription(BOB, subscription("bob-1", true)))
                    .isTrue();
            assertThat(each.allowsSubscription(new Principal("root"), subscription("readers", true)))
                    .isTrue();
        }
        // which would restrict every subscription, if it counted before one is named
        allow(new ResourcePattern(ResourceType.GROUP, "_sub.", true), "User:carol", Operation.READ);
        assertThat(authorizer.allowsSubscription(BOB, subscription("readers", false)))
                .isTrue();
        allow(readers, "User:alice", Operation.READ);
        for (RuleAuthorizer each : List.of(authorizer, lenient)) {
            assertThat(each.allowsSubscription(BOB, subscription("readers", false)))
                    .isFalse();
            assertThat(each.allowsSubscription(ALICE, subscription("readers", false)))
                    .isTrue();
            assertThat(each.allowsSubscription(new Principal("carol"), subscription("readers", false)))
                    .isTrue();
            assertThat(each.allowsSubscription(BOB, subscription("readers2", false)))
                    .isTrue();
        }
        assertThat(authorizer.allowsSubscription(BOB, new SubscriptionName("acme", "other", "readers", false)))
                .isTrue();
        allow(topics("_ns.acme.", true), "User:bob", Operation.ALL);
        assertThat(authorizer.allowsSubscription(BOB, subscription("readers", true)))
                .isTrue();
        rules.remove(rule -> rule.resource().equals(readers));
        assertThat(authorizer.allowsSubscription(ALICE, subscription("readers", false)))
                .isTrue();
    }

    @Test
    void aProxyAndItsClientBothNeedTheRight() throws Exception {
        Principal proxied = BOB.through(new Principal("proxy"));
        allow(ORDERS, "User:bob", Operation.READ);
        assertThat(reads(BOB, "orders")).isTrue();
        assertThat(reads(proxied, "orders")).isFalse();
        assertThat(authorizer.allowsOnAny(proxied, Operation.READ, ResourceType.TOPIC))
                .isFalse();
        allow(ORDERS, "User:proxy", Operation.READ);
        assertThat(reads(proxied, "orders")).isTrue();
        assertThat(authorizer.allowsOnAny(proxied, Operation.READ, ResourceType.TOPIC))
                .isTrue();
        assertThat(reads(ALICE.through(new Principal("proxy")), "orders")).isFalse();
        Principal root = new Principal("root");
        assertThat(authorizer.allowsOnCluster(BOB.through(root), Operation.ALTER))
                .isFalse();
        assertThat(authorizer.allowsOnCluster(root.through(BOB), Operation.ALTER))
                .isFalse();
        assertThat(authorizer.administers(root.through(BOB), "acme")).isFalse();
        assertThat(authorizer.allowsSubscription(proxied, subscription("bob-1", true)))
                .isTrue();
        assertThat(authorizer.allowsSubscription(proxied, subscription("proxy-1", true)))
                .isFalse();
        var readers = new ResourcePattern(
                ResourceType.GROUP, subscription("readers", false).resource(), false);
        allow(readers, "User:bob", Operation.READ);
        assertThat(authorizer.allowsSubscription(proxied, subscription("readers", false)))
                .isFalse();
        assertThat(authorizer.allowsSubscription(BOB.through(root), subscription("readers", false)))
                .isTrue();
    }

    @Test
    void nobodyAdministersATenantWithoutARule() throws Exception {
        RuleAuthorizer lenient = new RuleAuthorizer(rules, Set.of(), true);
        assertThat(lenient.administers(ALICE, "acme")).isFalse();
        allow(topics("_ns.acme.", true), "Group:staff", Operation.ALL);
        assertThat(lenient.administers(ALICE, "acme")).isTrue();
        assertThat(lenient.administers(BOB, "acme")).isFalse();
        assertThat(lenient.administers(ALICE, "acme2")).isFalse();
        AccessRule denied = new AccessRule(topics("_ns.", true), "User:alice", "*", Operation.ALL, false);
        rules.add(denied.resource(), List.of(denied));
        assertThat(lenient.administers(ALICE, "acme")).isFalse();
    }

    @Test
    void aRecordOfALaterServerIsNotUnderstoodInPart() throws Exception {
        AccessRule rule = new AccessRule(ORDERS, "User:alice", "*", Operation.READ, true);
        assertThat(RulesRecord.decode(ORDERS, RulesRecord.encode(List.of(rule))))
                .containsExactly(rule);
        assertThatThrownBy(() -> RulesRecord.decode(ORDERS, "2\n".getBytes(UTF_8)))
                .hasMessageContaining("version 2");
        assertThatThrownBy(() -> RulesRecord.decode(ORDERS, "1\nallow FLY * User:a\n".getBytes(UTF_8)))
                .hasMessageContaining("FLY");
        assertThat(RulesRecord.patternOf(RulesRecord.nameOf(ORDERS))).isEqualTo(ORDERS);
        assertThat(RulesRecord.patternOf("not ours")).isNull();
    }

    @Test
    void whatIsNoRuleIsRefused() {
        for (String principal : List.of("", "User:a\nallow ALL * User:b", "x".repeat(600))) {
            assertThatThrownBy(() -> allow(ORDERS, principal, Operation.READ))
                    .isInstanceOf(AccessRules.RefusedException.class);
        }
        AccessRule spaced = new AccessRule(ORDERS, "User:a", "10.0.0.1 User:b", Operation.READ, true);
        assertThatThrownBy(() -> rules.add(ORDERS, List.of(spaced))).isInstanceOf(AccessRules.RefusedException.class);
        assertThat(rules.find(all -> true)).isEmpty();
    }

    private static void until(BooleanSupplier condition) {
        await().atMost(Duration.ofSeconds(30)).until(condition::getAsBoolean);
    }
}
