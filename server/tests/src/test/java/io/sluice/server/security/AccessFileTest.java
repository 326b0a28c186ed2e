package io.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.config.ConfigException;
import io.sluice.server.security.AccessFile.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of users and their access rules: the defaults, and the line that refuses what is wrong. */
class AccessFileTest {
    @TempDir
    private Path folder;

    private AccessFile read(String text) throws Exception {
        return AccessFile.read(Files.writeString(folder.resolve("access.yaml"), text));
    }

    private static AclBinding rule(
            ResourceType type, String name, PatternType how, AclOperation operation, AclPermissionType permission) {
        return new AclBinding(
                new ResourcePattern(type, name, how), new AccessControlEntry("User:alice", "*", operation, permission));
    }

    @Test
    void aRuleIsOneForEachOperation() throws Exception {
        AccessFile file = read("""
                users:
                - name: alice
                  rules:
                  - {resource: topic, name: orders, operations: [read, Write, read]}
                  - {resource: Group, name: g, pattern: prefixed, operations: [READ], permission: deny}
                  - {resource: cluster, operations: [describe]}
                """);
        List<Rule> rules = Objects.requireNonNull(file.users().getFirst().rules());
        assertThat(AccessFile.bindings("User:alice", rules))
                .containsExactlyInAnyOrder(
                        rule(
                                ResourceType.TOPIC,
                                "orders",
                                PatternType.LITERAL,
                                AclOperation.READ,
                                AclPermissionType.ALLOW),
                        rule(
                                ResourceType.TOPIC,
                                "orders",
                                PatternType.LITERAL,
                                AclOperation.WRITE,
                                AclPermissionType.ALLOW),
                        rule(ResourceType.GROUP, "g", PatternType.PREFIXED, AclOperation.READ, AclPermissionType.DENY),
                        rule(
                                ResourceType.CLUSTER,
                                "kafka-cluster",
                                PatternType.LITERAL,
                                AclOperation.DESCRIBE,
                                AclPermissionType.ALLOW));
    }

    @Test
    void whoHasNoRulesInTheFileKeepsThem() throws Exception {
        AccessFile file = read("users: [{name: alice, passwordFile: alice}, {name: bob, rules: []}]");
        assertThat(file.users().getFirst().rules()).isNull();
        assertThat(file.users().getLast().rules()).isEmpty();
        assertThat(file.groups()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "users: [{name: a}, {name: a}] | users has a twice",
                "users: [{rules: []}] | each of users wants a name",
                "users: [{name: '*'}] | each of users wants a name",
                "users: [{name: a, remove: true, rules: []}] | the user a is to be removed, so it can have nothing else",
                "users: [{name: a, password: x}] | unknown setting",
                "groups: [{name: g}] | the group g wants rules",
                "groups: [{name: g, rules: [{name: t, operations: [read]}]}] | a rule's resource is 'null', expected is one of topic, group, cluster",
                "groups: [{name: g, rules: [{resource: topics, name: t, operations: [read]}]}] | a rule's resource is 'topics'",
                "groups: [{name: g, rules: [{resource: any, name: t, operations: [read]}]}] | a rule's resource is 'any'",
                "groups: [{name: g, rules: [{resource: topic, operations: [read]}]}] | a rule for a topic wants a name",
                "groups: [{name: g, rules: [{resource: topic, name: t}]}] | the rule for topic t wants operations",
                "groups: [{name: g, rules: [{resource: topic, name: t, operations: [reed]}]}] | a rule's operation is 'reed'",
                "groups: [{name: g, rules: [{resource: topic, name: t, operations: [read], pattern: match}]}] | a rule's pattern is 'match'",
                "groups: [{name: g, rules: [{resource: topic, name: t, operations: [read], permission: any}]}] | a rule's permission is 'any'",
                "users | is not a list of settings",
            })
    void whatIsWrongIsRefusedInOneLine(String text, String line) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(ConfigException.class)
                .message()
                .contains(line)
                .hasLineCount(1);
    }

    @Test
    void aFileThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> AccessFile.read(folder.resolve("none")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("cannot read " + folder.resolve("none"));
    }
}
