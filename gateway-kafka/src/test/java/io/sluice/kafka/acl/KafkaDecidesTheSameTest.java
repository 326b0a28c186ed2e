package io.sluice.kafka.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.RuleAuthorizer;
import io.sluice.store.cluster.InMemoryMetadata;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.junit.jupiter.api.Test;

/** Random rules and random questions: what Kafka's own authorizer answers, ours does. */
class KafkaDecidesTheSameTest {
    private static final int ROUNDS = Integer.getInteger("sluice.acl.rounds", 300);
    private static final List<String> NAMES =
            List.of("*", "a", "ab", "abc", "abd", "abcd", "b", "ba", "**", "a*", "*a", "hardcode", "kafka-cluster");
    /** Kafka's authorizer passes over rules on everything for names that begin with a star. */
    private static final List<String> ASKED = NAMES.stream()
            .filter(name -> !name.startsWith("*") || name.equals("*"))
            .toList();

    private static final List<String> PRINCIPALS =
            List.of("User:*", "User:alice", "User:bob", "Role:alice", "User:a:b");
    private static final List<String> USERS = List.of("alice", "bob", "root", "a:b", "ANONYMOUS");
    private static final List<String> HOSTS = List.of("*", "10.0.0.1", "10.0.0.2");

    private static <T> T any(Random random, List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private static AccessRule rule(Random random) {
        return new AccessRule(
                new ResourcePattern(
                        any(random, List.of(ResourceType.TOPIC, ResourceType.GROUP)),
                        any(random, NAMES),
                        random.nextBoolean()),
                any(random, PRINCIPALS),
                any(random, HOSTS),
                any(random, List.of(Operation.values())),
                random.nextInt(4) > 0);
    }

    @Test
    void ofRandomRules() throws Exception {
        long seed = Long.getLong("sluice.acl.seed", System.nanoTime());
        int allowed = 0;
        int denied = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Random random = new Random(seed + round);
            try (var metadata = new InMemoryMetadata();
                    var rules =
                            new AccessRules(metadata, task -> Thread.ofVirtual().start(task))) {
                rules.load();
                boolean lenient = random.nextBoolean();
                RuleAuthorizer ours = new RuleAuthorizer(rules, Set.of("User:root"), lenient);
                StandardAuthorizer kafkas = kafkas(lenient);
                Map<AccessRule, Uuid> made = new HashMap<>();
                for (int change = 0; change < 4; change++) {
                    change(random, rules, kafkas, made);
                    for (int question = 0; question < 60; question++) {
                        if (same(random, ours, kafkas, seed + round, made)) {
                            allowed++;
                        } else {
                            denied++;
                        }
                    }
                }
            }
        }
        assertThat(allowed).isGreaterThan(ROUNDS);
        assertThat(denied).isGreaterThan(ROUNDS);
    }

    private static StandardAuthorizer kafkas(boolean lenient) {
        StandardAuthorizer kafkas = new StandardAuthorizer();
        kafkas.configure(Map.of(
                "super.users",
                "User:root",
                "allow.everyone.if.no.acl.found",
                Boolean.toString(lenient),
                "node.id",
                "1"));
        kafkas.withPluginMetrics(new PluginMetricsImpl(new Metrics(), Map.of()));
        kafkas.completeInitialLoad();
        return kafkas;
    }

    private static void change(Random random, AccessRules rules, StandardAuthorizer kafkas, Map<AccessRule, Uuid> made)
            throws Exception {
        for (AccessRule gone : List.copyOf(made.keySet())) {
            if (random.nextInt(3) == 0) {
                assertThat(rules.remove(gone::equals)).containsExactly(gone);
                kafkas.removeAcl(made.remove(gone));
            }
        }
        int more = random.nextInt(8);
        for (int i = 0; i < more; i++) {
            AccessRule rule = rule(random);
            if (made.putIfAbsent(rule, Uuid.randomUuid()) == null) {
                rules.add(rule.resource(), List.of(rule));
                kafkas.addAcl(made.get(rule), StandardAcl.fromAclBinding(Acls.toKafka(rule)));
            }
        }
    }

    private static boolean same(
            Random random, RuleAuthorizer ours, StandardAuthorizer kafkas, long seed, Map<AccessRule, Uuid> rules)
            throws Exception {
        String user = any(random, USERS);
        String host = any(random, HOSTS.subList(1, HOSTS.size()));
        List<Operation> operations = new ArrayList<>(List.of(Operation.values()));
        operations.remove(Operation.ALL);
        Operation operation = any(random, operations);
        ResourceType type = any(random, List.of(ResourceType.TOPIC, ResourceType.GROUP, ResourceType.USER));
        String name = any(random, ASKED);
        Principal who = new Principal(user, Set.of(), Authentication.SCRAM, "", host);
        RequestContext asking = asking(user, host);
        AclOperation kafkasOperation = AclOperation.valueOf(operation.name());
        var kafkasType = org.apache.kafka.common.resource.ResourceType.valueOf(type.name());
        Action action = new Action(
                kafkasOperation,
                new org.apache.kafka.common.resource.ResourcePattern(kafkasType, name, PatternType.LITERAL),
                1,
                false,
                false);
        boolean answer = ours.allows(who, operation, type, name);
        assertThat(answer)
                .as("seed %d: %s of %s at %s on %s %s by %s", seed, operation, user, host, type, name, rules.keySet())
                .isEqualTo(kafkas.authorize(asking, List.of(action)).getFirst() == AuthorizationResult.ALLOWED);
        assertThat(ours.allowsOnAny(who, operation, type))
                .as("seed %d: %s of %s at %s on any %s by %s", seed, operation, user, host, type, rules.keySet())
                .isEqualTo(kafkas.authorizeByResourceType(asking, kafkasOperation, kafkasType)
                        == AuthorizationResult.ALLOWED);
        return answer;
    }

    private static RequestContext asking(String user, String host) throws Exception {
        return new RequestContext(
                new RequestHeader(ApiKeys.METADATA, (short) 12, "test", 1),
                "1",
                InetAddress.getByName(host),
                Optional.empty(),
                new KafkaPrincipal(KafkaPrincipal.USER_TYPE, user),
                new ListenerName("test"),
                SecurityProtocol.PLAINTEXT,
                org.apache.kafka.common.network.ClientInformation.EMPTY,
                false,
                Optional.empty());
    }
}
