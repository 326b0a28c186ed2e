package io.sluice.kafka;

import io.netty.handler.ssl.ClientAuth;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.OneUser;
import io.sluice.broker.identity.OneUser.OnlyAlice;
import io.sluice.broker.identity.ServerTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.kafka.KafkaGatewayConfig.Listener;
import io.sluice.store.tls.RevokedCertificates;
import io.sluice.testing.fuzz.FuzzedServer;
import java.nio.file.Files;
import java.nio.file.Path;
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
    /** Of each worker; more for long runs, since most of a login is waiting. */
    private static final int AT_ONCE = Integer.getInteger("sluice.fuzz.clients", 24);

    private final OneUser alice;
    private final TestGateway gateway;
    private final RawClient neighbour;

    /** @param tls kept by who makes the servers: its own memory is freed by the collector */
    FuzzedLogins(Path folder, ServerTls tls) throws Exception {
        alice = new OneUser(folder);
        Identities identities = alice.identities();
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
                alice.users());
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
                        : new LoginSequence(
                                        own, own.nextInt(3) == 0 ? alice.right() : alice.wrong(own), own.nextBoolean())
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
        new LoginSequence(new Random(0), alice.right(), true).play(gateway.port);
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
        alice.close();
    }
}
