package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.AuditedAuthorizer;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.RuleAuthorizer;
import io.sluice.broker.identity.CertificateNames;
import io.sluice.broker.identity.ClientBounds;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.TokenRules;
import io.sluice.broker.identity.Tokens;
import io.sluice.broker.identity.User;
import io.sluice.broker.identity.Users;
import io.sluice.store.cluster.InMemoryMetadata;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.auth.AuthenticationBasic;
import org.apache.pulsar.common.protocol.Commands;

/** A gateway whose users log in by password and may do what rules allow; {@code root} may do everything. */
final class RuledGateway implements AutoCloseable {
    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    final AccessRules rules = new AccessRules(metadata, TASKS);
    final Users users = new Users(metadata, TASKS);
    final RuleAuthorizer authorizer = new RuleAuthorizer(rules, Set.of("User:root"), false);
    final TestGateway gateway;

    RuledGateway(String... names) throws Exception {
        rules.load();
        users.load();
        for (String name : names) {
            User made = User.of(name, Set.of(), "secret", new SecureRandom());
            users.change(name, _ -> made);
        }
        var identities = new Identities(
                users, new Tokens(TokenRules.NONE), CertificateNames.parse("DEFAULT"), new ClientBounds(100), 0);
        gateway = TestGateway.start(
                new AuditedAuthorizer(authorizer, new AuditLog()),
                new ListenerSecurity(null, Set.of(Authentication.PASSWORD), identities));
    }

    /** @param topic by its Kafka name */
    void allow(String user, String topic) throws Exception {
        var pattern = new ResourcePattern(ResourceType.TOPIC, topic, false);
        rules.add(pattern, List.of(new AccessRule(pattern, "User:" + user, "*", Operation.ALL, true)));
    }

    void disallow(String user, String topic) throws Exception {
        assertThat(rules.remove(rule -> rule.principal().equals("User:" + user)
                        && rule.resource().name().equals(topic)))
                .isNotEmpty();
    }

    /** Pulsar's client, as a user. */
    PulsarClient client(String user) throws Exception {
        return PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .authentication(basic(user))
                .build();
    }

    RawClient connect(String user) throws Exception {
        return RawClient.connect(gateway.port(), Commands.newConnect("basic", user + ":secret", "test"));
    }

    static AuthenticationBasic basic(String user) {
        var basic = new AuthenticationBasic();
        basic.configure(Map.of("userId", user, "password", "secret"));
        return basic;
    }

    @Override
    public void close() {
        gateway.close();
        users.close();
        rules.close();
        metadata.close();
    }
}
