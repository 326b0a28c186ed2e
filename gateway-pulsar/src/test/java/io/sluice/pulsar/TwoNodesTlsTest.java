package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.ClientAuth;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Principal;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.ServerTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.tls.RevokedCertificates;
import io.sluice.store.tls.TrustedAuthorities;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.MessageId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes whose listeners have TLS ask each other, and send clients to each other, over it. */
@Timeout(60)
class TwoNodesTlsTest {
    private static final Duration LONG = Duration.ofDays(1);
    private static final String ALL = TopicName.ofDefault("t").toString();

    @TempDir
    private Path folder;

    private final List<TestAdmin> admins = new ArrayList<>();
    private TwoGateways both;

    @BeforeEach
    void start() throws Exception {
        CertificateAuthority authority = CertificateAuthority.of("test authority", LONG);
        write("ca", authority.self());
        write("node", authority.server(List.of("127.0.0.1"), LONG));
        write("another", CertificateAuthority.of("another", LONG).self());
        var keys = new TlsFiles(pem("node"), pem("node-key").toString(), null, pem("ca"));
        both = new TwoGateways(
                "https",
                new ListenerSecurity(new ServerTls(keys, ClientAuth.NONE, RevokedCertificates.NONE), Set.of(), null));
        for (int node = 1; node <= 2; node++) {
            TestAdmin admin = admin(node, null, "ca");
            both.nodes.of(node).advertise(ClusterNode.HTTP, new Endpoint("127.0.0.1", admin.port()));
        }
    }

    @AfterEach
    void close() throws Exception {
        for (TestAdmin admin : admins) {
            admin.close();
        }
        both.close();
    }

    private void write(String name, Issued issued) throws Exception {
        Files.writeString(pem(name), issued.certificatePem());
        Files.writeString(pem(name + "-key"), issued.keyPem());
    }

    private Path pem(String name) {
        return folder.resolve(name + ".pem");
    }

    private TestAdmin admin(int node, @Nullable Principal asking, String trusted) throws Exception {
        var tls = new TestAdmin.Tls(pem("node"), pem("node-key"), pem("ca"), pem(trusted));
        TestAdmin admin = new TestAdmin(both, node, asking, tls);
        admins.add(admin);
        return admin;
    }

    @Test
    void nodesAskEachOtherAndSendClientsToEachOther() throws Exception {
        int owner = both.ownerOf("plain0");
        TestAdmin other = admins.get(TwoGateways.other(owner) - 1);
        String path = "/admin/v2/persistent/public/default/plain0/stats";
        assertThat(other.ask("GET", path).headers().firstValue("Location"))
                .contains(admins.get(owner - 1).url() + path)
                .hasValueSatisfying(url -> assertThat(url).startsWith("https://"));
        assertThat(other.client()
                        .topics()
                        .getStats(TopicName.ofDefault("plain0").toString())
                        .getMsgInCounter())
                .isZero();
        for (TestAdmin each : List.copyOf(admins)) {
            String name = "from" + each.port();
            each.client().topics().createSubscription(ALL, name, MessageId.earliest);
            assertThat(each.client().topics().getPartitionedStats(ALL, false).getSubscriptions())
                    .containsKey(name);
            assertThat(each.client().topics().getSubscriptions(ALL)).contains(name);
        }
    }

    @Test
    void aNodeOfAnotherAuthorityIsNotAsked() throws Exception {
        TestAdmin untrusting = admin(1, null, "another");
        assertThatThrownBy(() -> untrusting.client().topics().getPartitionedStats(ALL, false))
                .isInstanceOf(PulsarAdminException.class)
                .hasMessageContaining("does not answer");
    }

    @Test
    void aCertificateCannotBePassedOn() throws Exception {
        var alice = new Principal("alice", Set.of(), Authentication.CERTIFICATE, "http", "127.0.0.1");
        TestAdmin asked = admin(1, alice, "ca");
        assertThatThrownBy(() -> asked.client().topics().getPartitionedStats(ALL, false))
                .isInstanceOf(PulsarAdminException.NotAuthorizedException.class)
                .hasMessageContaining("a certificate cannot be passed on");
    }

    private SocketClient socket(TestAdmin at, String what) throws Exception {
        return SocketClient.open(
                at.url() + "/ws/v2/" + what, HttpClient.newBuilder().sslContext(TrustedAuthorities.in(pem("ca"))));
    }

    @Test
    void aWebSocketOfAnotherNodesTopicIsServedOverTls() throws Exception {
        int owner = both.ownerOf("plain0");
        TestAdmin other = admins.get(TwoGateways.other(owner) - 1);
        String topic = "persistent/public/default/plain0";
        try (SocketClient producer = socket(other, "producer/" + topic);
                SocketClient reader = socket(other, "reader/" + topic + "?messageId=earliest")) {
            for (int i = 0; i < 20; i++) {
                producer.send(JsonObject.of("payload", SocketClient.payload("m" + i)));
                assertThat(producer.next().getString("result")).isEqualTo("ok");
                assertThat(SocketClient.content(reader.take())).isEqualTo("m" + i);
            }
        }
        TestAdmin untrusting = admin(TwoGateways.other(owner), null, "another");
        assertThatThrownBy(() -> socket(untrusting, "producer/" + topic).close())
                .isInstanceOf(SocketClient.RefusedException.class)
                .hasMessageStartingWith("503");
    }
}
