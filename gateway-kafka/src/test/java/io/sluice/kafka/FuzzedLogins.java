package io.sluice.kafka;

import io.netty.handler.ssl.ClientAuth;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.broker.identity.CertificateNames;
import io.sluice.broker.identity.ClientAddresses;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.RevokedCertificates;
import io.sluice.broker.identity.ServerTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.broker.identity.TokenKeys;
import io.sluice.broker.identity.TokenRules;
import io.sluice.broker.identity.Tokens;
import io.sluice.broker.identity.User;
import io.sluice.broker.identity.Users;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.KafkaGatewayConfig.Listener;
import io.sluice.kafka.LoginSequence.Secrets;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.testing.fuzz.FuzzedServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * A gateway whose listeners want to know who comes: one with SASL, one with TLS and certificates. Who is refused hears of it after half a
 * second, so that many come at once.
 */
final class FuzzedLogins implements FuzzedServer {
    private static final Duration LONG = Duration.ofDays(1);
    private static final int AT_ONCE = 24;
    private static final String SECRET = "0123456789012345678901234567890123456789";
    private static final String ANOTHER_SECRET = "another456789012345678901234567890123456789";

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final Users users = new Users(metadata, task -> Thread.ofVirtual().start(task));
    private final TestGateway gateway;
    private final Secrets right;
    private final Secrets wrong;
    private final RawClient neighbour;

    /** Decides as one that lets in who is known, and fails if it is asked for anybody else. */
    private static final class OnlyAlice implements Authorizer {
        @Override
        public boolean allows(Principal principal, Operation operation, TopicName topic) {
            return isAlice(principal);
        }

        @Override
        public boolean allows(Principal principal, Operation operation, ResourceType type, String name) {
            return isAlice(principal);
        }

        @Override
        public boolean allowsOnCluster(Principal principal, Operation operation) {
            return isAlice(principal);
        }

        private static boolean isAlice(Principal principal) {
            boolean open = principal.listener().equals("open");
            if (!open && !principal.name().equals(LoginSequence.NAME)) {
                throw new AssertionError(principal + " was let in");
            }
            return true;
        }
    }

    /** @param tls kept by who makes the servers: its own memory is freed by the collector */
    FuzzedLogins(Path folder, ServerTls tls) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), SECRET);
        Path another = Files.writeString(folder.resolve("another"), ANOTHER_SECRET);
        users.load();
        User alice = User.of(LoginSequence.NAME, Set.of(), LoginSequence.PASSWORD, new SecureRandom());
        users.change(LoginSequence.NAME, _ -> alice);
        Tokens tokens = new Tokens(new TokenRules(secret.toString(), "", "", "", "", "sub", "groups"));
        tokens.load();
        var identities = new Identities(users, tokens, CertificateNames.parse(""), new ClientAddresses(1_000), 0);
        gateway = new TestGateway(
                List.of(
                        listener(
                                "sasl",
                                null,
                                Set.of(Authentication.SCRAM, Authentication.PASSWORD, Authentication.TOKEN),
                                identities),
                        listener("open", null, Set.of(), identities),
                        listener("tls", tls, Set.of(Authentication.CERTIFICATE), identities)),
                new OnlyAlice(),
                users);
        right = new Secrets(LoginSequence.PASSWORD, Tokens.sign(TokenKeys.secret(secret), "alice", Set.of(), null));
        wrong = new Secrets("nothing like it", Tokens.sign(TokenKeys.secret(another), "alice", Set.of(), null));
        neighbour = new RawClient(gateway.gateway.port("open"));
    }

    static ServerTls tls(Path folder) throws Exception {
        CertificateAuthority authority = CertificateAuthority.of("test authority", LONG);
        Issued server = authority.server(List.of("localhost"), LONG);
        Files.writeString(folder.resolve("ca.pem"), authority.self().certificatePem());
        Files.writeString(folder.resolve("server.pem"), server.certificatePem());
        Files.writeString(folder.resolve("server-key.pem"), server.keyPem());
        return new ServerTls(
                new TlsFiles(
                        folder.resolve("server.pem"),
                        folder.resolve("server-key.pem").toString(),
                        null,
                        folder.resolve("ca.pem")),
                ClientAuth.REQUIRE,
                RevokedCertificates.NONE);
    }

    private static Listener listener(
            String name, @Nullable ServerTls tls, Set<Authentication> ways, Identities identities) {
        return new Listener(name, "127.0.0.1", 0, "127.0.0.1", 0, new ListenerSecurity(tls, ways, identities));
    }

    @Override
    public int play(long seed) throws Exception {
        Random random = new Random(seed);
        List<Future<Integer>> played = new ArrayList<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int n = 0; n < AT_ONCE; n++) {
                Random own = new Random(random.nextLong());
                played.add(clients.submit(() -> own.nextInt(4) == 0
                        ? new HelloSequence(own).play(gateway.gateway.port("tls"))
                        : new LoginSequence(own, own.nextInt(3) == 0 ? right : wrong, own.nextBoolean())
                                .play(gateway.port)));
            }
            int sent = 0;
            for (Future<Integer> each : played) {
                sent += each.get(60, TimeUnit.SECONDS);
            }
            return sent;
        }
    }

    @Override
    public void neighbour() throws Exception {
        short version = 4;
        var answer =
                new MetadataResponseData(neighbour.call(ApiKeys.METADATA, version, new MetadataRequestData()), version);
        if (answer.brokers().size() != 1) {
            throw new AssertionError("the neighbour sees " + answer);
        }
    }

    /** An honest client is let in after all. */
    @Override
    public void neighbourLeaves() throws Exception {
        new LoginSequence(new Random(0), right, true).play(gateway.port);
        neighbour.close();
    }

    @Override
    public long requestMemoryUsed() {
        return gateway.gateway.requestMemoryUsed();
    }

    @Override
    public int openConnections() {
        return (int) gateway.registry.get("sluice.kafka.connections").gauge().value();
    }

    @Override
    public void close() {
        gateway.close();
        users.close();
        metadata.close();
    }
}
