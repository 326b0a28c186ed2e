package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.identity.CertificateNames;
import io.sluice.broker.identity.ClientBounds;
import io.sluice.broker.identity.DelegationTokens;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.ProxyRoles;
import io.sluice.broker.identity.TokenRules;
import io.sluice.broker.identity.Tokens;
import io.sluice.broker.identity.User;
import io.sluice.broker.identity.Users;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.KafkaGatewayConfig.Listener;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.tls.RevokedCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateDelegationTokenOptions;
import org.apache.kafka.clients.admin.DescribeDelegationTokenOptions;
import org.apache.kafka.clients.admin.ExpireDelegationTokenOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.DelegationTokenAuthorizationException;
import org.apache.kafka.common.errors.DelegationTokenNotFoundException;
import org.apache.kafka.common.errors.DelegationTokenOwnerMismatchException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedByAuthenticationException;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.token.delegation.DelegationToken;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.DelegationTokenCommand;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka's own clients make delegation tokens and log in with them. */
class DelegationTokenTest {
    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);

    @TempDir
    private static Path folder;

    private static InMemoryMetadata metadata;
    private static Users users;
    private static DelegationTokens tokens;
    private static TestGateway gateway;

    /** Only bob may have to do with tokens of others, and only with those of alice. */
    private static final class BobForAlice implements Authorizer {
        @Override
        public boolean allows(Principal who, Operation operation, TopicName topic) {
            return false;
        }

        @Override
        public boolean allows(Principal who, Operation operation, ResourceType type, String name) {
            return type == ResourceType.USER && who.name().equals("bob") && name.equals("User:alice");
        }
    }

    @BeforeAll
    static void start() throws Exception {
        metadata = new InMemoryMetadata();
        users = new Users(metadata, TASKS);
        users.load();
        for (String name : List.of("alice", "bob", "carol")) {
            User user = User.of(name, Set.of(), "secret of " + name, new SecureRandom());
            users.change(name, _ -> user);
        }
        Files.writeString(folder.resolve("secret"), "0123456789012345678901234567890123456789");
        tokens = new DelegationTokens(
                metadata,
                TASKS,
                folder.resolve("secret").toString(),
                new DelegationTokens.Lifetimes(3_600_000, 60_000),
                System::currentTimeMillis);
        tokens.load();
        var identities = new Identities(
                users,
                new Tokens(new TokenRules("", "", "", "", "", "sub", "groups")),
                CertificateNames.parse("DEFAULT"),
                new ClientBounds(1_000),
                0,
                tokens,
                RevokedCertificates.NONE,
                ProxyRoles.NONE);
        gateway = new TestGateway(
                List.of(new Listener(
                        "sasl",
                        "127.0.0.1",
                        0,
                        "127.0.0.1",
                        0,
                        new ListenerSecurity(null, Set.of(Authentication.SCRAM), identities))),
                new BobForAlice(),
                users,
                null,
                tokens);
    }

    @AfterAll
    static void stop() {
        gateway.close();
        tokens.close();
        users.close();
        metadata.close();
    }

    private static Map<String, Object> login(String mechanism, String name, String password, boolean token) {
        Map<String, Object> settings = new HashMap<>(gateway.clientSettings());
        settings.put("security.protocol", "SASL_PLAINTEXT");
        settings.put("sasl.mechanism", mechanism);
        settings.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + name + "\" password=\""
                        + password + "\" tokenauth=\"" + token + "\";");
        return settings;
    }

    private static Admin user(String name) {
        return Admin.create(login("SCRAM-SHA-256", name, "secret of " + name, false));
    }

    private static Admin with(DelegationToken token, String mechanism) {
        return Admin.create(login(mechanism, token.tokenInfo().tokenId(), token.hmacAsBase64String(), true));
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static KafkaPrincipal principal(String name) {
        return new KafkaPrincipal(KafkaPrincipal.USER_TYPE, name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SCRAM-SHA-256", "SCRAM-SHA-512"})
    void aClientLogsInWithAToken(String mechanism) throws Exception {
        try (Admin alice = user("alice")) {
            DelegationToken token = get(alice.createDelegationToken().delegationToken());
            assertThat(token.tokenInfo().owner()).isEqualTo(principal("alice"));
            try (Admin delegate = with(token, mechanism)) {
                assertThat(get(delegate.describeCluster().clusterId())).isNotEmpty();
                assertThatThrownBy(() -> get(delegate.createDelegationToken().delegationToken()))
                        .hasCauseInstanceOf(UnsupportedByAuthenticationException.class);
                get(alice.expireDelegationToken(token.hmac(), new ExpireDelegationTokenOptions().expiryTimePeriodMs(-1))
                        .expiryTimestamp());
                // Its connection is ended, and it is not let in again.
                assertThatThrownBy(() -> get(delegate.describeCluster().clusterId()))
                        .hasCauseInstanceOf(SaslAuthenticationException.class);
            }
        }
    }

    @Test
    void aTokenOfAnotherUserIsForThoseWhoMayAskForIt() throws Exception {
        try (Admin bob = user("bob");
                Admin carol = user("carol");
                Admin alice = user("alice")) {
            var forAlice = new CreateDelegationTokenOptions()
                    .owner(principal("alice"))
                    .renewers(List.of(principal("carol")))
                    .maxLifetimeMs(1_000_000);
            DelegationToken token = get(bob.createDelegationToken(forAlice).delegationToken());
            assertThat(token.tokenInfo().ownerAsString()).isEqualTo("User:alice");
            assertThat(token.tokenInfo().tokenRequesterAsString()).isEqualTo("User:bob");
            assertThat(token.tokenInfo().maxTimestamp() - token.tokenInfo().issueTimestamp())
                    .isEqualTo(1_000_000);
            assertThatThrownBy(() -> get(carol.createDelegationToken(forAlice).delegationToken()))
                    .hasCauseInstanceOf(DelegationTokenAuthorizationException.class);
            assertThatThrownBy(() -> get(bob.renewDelegationToken(token.hmac()).expiryTimestamp()))
                    .hasCauseInstanceOf(DelegationTokenOwnerMismatchException.class);
            assertThatThrownBy(
                            () -> get(alice.renewDelegationToken(new byte[64]).expiryTimestamp()))
                    .hasCauseInstanceOf(DelegationTokenNotFoundException.class);
            assertThat(get(carol.renewDelegationToken(token.hmac()).expiryTimestamp()))
                    .isGreaterThanOrEqualTo(token.tokenInfo().expiryTimestamp());
        }
    }

    @Test
    void tokensAreShownToWhomTheyConcernAndToThoseWhoMaySeeThem() throws Exception {
        try (Admin alice = user("alice");
                Admin bob = user("bob");
                Admin carol = user("carol")) {
            DelegationToken ofAlice = get(alice.createDelegationToken().delegationToken());
            DelegationToken ofCarol = get(carol.createDelegationToken().delegationToken());
            assertThat(shown(alice, null)).contains(ofAlice).doesNotContain(ofCarol);
            assertThat(shown(bob, null)).contains(ofAlice).doesNotContain(ofCarol);
            assertThat(shown(carol, null)).contains(ofCarol).doesNotContain(ofAlice);
            assertThat(shown(alice, List.of(principal("carol")))).doesNotContain(ofAlice, ofCarol);
            assertThat(shown(alice, List.of())).isEmpty();
        }
    }

    private static List<DelegationToken> shown(Admin admin, @Nullable List<KafkaPrincipal> owners) throws Exception {
        return get(admin.describeDelegationToken(new DescribeDelegationTokenOptions().owners(owners))
                .delegationTokens());
    }

    @Test
    void kafkasToolMakesRenewsAndEndsTokens() throws Exception {
        Path config = folder.resolve("carol.properties");
        Files.writeString(
                config,
                login("SCRAM-SHA-256", "carol", "secret of carol", false).entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining("\n")));
        try (Admin carol = user("carol")) {
            List<DelegationToken> before = shown(carol, null);
            assertThat(tool(config, "--create", "--max-life-time-period", "1000000", "--renewer-principal", "User:bob"))
                    .containsExactly(0);
            List<DelegationToken> made = new ArrayList<>(shown(carol, null));
            made.removeAll(before);
            assertThat(made).hasSize(1);
            String hmac = made.getFirst().hmacAsBase64String();
            assertThat(tool(config, "--describe")).containsExactly(0);
            assertThat(tool(config, "--renew", "--renew-time-period", "-1", "--hmac", hmac))
                    .containsExactly(0);
            assertThat(tool(config, "--expire", "--expiry-time-period", "-1", "--hmac", hmac))
                    .containsExactly(0);
            assertThat(tool(config, "--renew", "--renew-time-period", "-1", "--hmac", hmac))
                    .containsExactly(1);
            assertThat(shown(carol, null)).isEqualTo(before);
        }
    }

    /** Exit codes of {@code kafka-delegation-tokens.sh}. */
    private static List<Integer> tool(Path config, String... words) {
        List<String> all = new ArrayList<>(
                List.of("--bootstrap-server", "127.0.0.1:" + gateway.port, "--command-config", config.toString()));
        all.addAll(List.of(words));
        List<Integer> codes = new ArrayList<>();
        Exit.setExitProcedure((code, _) -> codes.add(code));
        try {
            DelegationTokenCommand.main(all.toArray(String[]::new));
        } finally {
            Exit.resetExitProcedure();
        }
        return codes;
    }

    @Test
    void aTokenThatIsNoneIsRefused() {
        Map<String, Object> none = login("SCRAM-SHA-256", "alice", "secret of alice", true);
        assertThatThrownBy(() -> {
                    try (Admin admin = Admin.create(none)) {
                        get(admin.describeCluster().clusterId());
                    }
                })
                .hasCauseInstanceOf(SaslAuthenticationException.class);
    }
}
