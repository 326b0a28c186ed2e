package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.auth.AuthenticationToken;
import org.apache.pulsar.common.policies.data.ClusterData;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.jspecify.annotations.Nullable;

/** A cluster without TLS that replicates to one with TLS and logins, once its record of that one has the right authority and a login. */
final class ReplicationOverTls {
    private static final String TOPIC = "persistent://public/default/replicated";
    private static final int MESSAGES = 10;

    private final Path secure;
    private final String pulsar;
    private final String http;

    /**
     * @param secure folder of {@code sluice security init}, of the other cluster
     * @param pulsar address of the other cluster, {@code pulsar+ssl://}
     * @param http address of the other cluster, {@code https://}
     */
    ReplicationOverTls(Path secure, String pulsar, String http) {
        this.secure = secure;
        this.pulsar = pulsar;
        this.http = http;
    }

    /** @param there client of the other cluster */
    void check(SluiceServer near, PulsarClient there) throws Exception {
        try (PulsarAdmin admin = PulsarAdmin.builder()
                        .serviceHttpUrl("http://127.0.0.1:" + near.ports().http())
                        .build();
                PulsarClient here = PulsarClients.builder(near.pulsar()).build()) {
            admin.clusters().createCluster("secure", record("ca.pem", null));
            Set<String> both = Set.of("near", "secure");
            admin.tenants()
                    .updateTenant(
                            "public", TenantInfo.builder().allowedClusters(both).build());
            admin.namespaces().setNamespaceReplicationClusters("public/default", both, false);
            try (Producer<String> producer =
                    here.newProducer(Schema.STRING).topic(TOPIC).create()) {
                for (int n = 0; n < MESSAGES; n++) {
                    producer.send("m" + n);
                }
            }
            awaitReplication(admin, false, MESSAGES);
            String token = Files.readString(secure.resolve("token")).strip();
            admin.clusters().updateCluster("secure", record("node-ca.pem", token));
            awaitReplication(admin, false, MESSAGES);
            admin.clusters().updateCluster("secure", record("ca.pem", token));
            awaitReplication(admin, true, 0);
        }
        ClientProgram.go("replicated", near.pulsar(), pulsar, secure.toString(), TOPIC + "-go", "near");
        try (var reader = there.newReader(Schema.STRING)
                .topic(TOPIC)
                .startMessageId(MessageId.earliest)
                .create()) {
            for (int n = 0; n < MESSAGES; n++) {
                var message = reader.readNext(30, TimeUnit.SECONDS);
                assertThat(message).as("after %d messages", n).isNotNull();
                assertThat(message.getValue()).isEqualTo("m" + n);
                assertThat(message.getReplicatedFrom()).isEqualTo("near");
            }
        }
    }

    /**
     * A certificate for another host is refused, by whichever authority; a record that takes any certificate takes it.
     *
     * @param named folder of {@code sluice security init} with a certificate for another host
     */
    static void checkNames(SluiceServer near, Path named) throws Exception {
        try (PulsarAdmin admin = PulsarAdmin.builder()
                        .serviceHttpUrl("http://127.0.0.1:" + near.ports().http())
                        .build();
                MisnamedServer other = new MisnamedServer(named)) {
            var record = ClusterData.builder()
                    .brokerServiceUrlTls("pulsar+ssl://localhost:" + other.port())
                    .brokerClientTlsEnabled(true)
                    .brokerClientTrustCertsFilePath(named.resolve("ca.pem").toString());
            admin.clusters().createCluster("misnamed", record.build());
            Set<String> both = Set.of("near", "misnamed");
            admin.tenants()
                    .createTenant(
                            "names", TenantInfo.builder().allowedClusters(both).build());
            admin.namespaces().createNamespace("names/here", both);
            admin.topics().createNonPartitionedTopic("persistent://names/here/t");
            assertThat(other.nextGoesOn()).isFalse();
            admin.clusters()
                    .updateCluster(
                            "misnamed", record.tlsAllowInsecureConnection(true).build());
            await().atMost(Duration.ofMinutes(1)).until(() -> Boolean.TRUE.equals(other.nextGoesOn()));
        }
    }

    private ClusterData record(String authority, @Nullable String token) {
        var record = ClusterData.builder()
                .serviceUrlTls(http)
                .brokerServiceUrlTls(pulsar)
                .brokerClientTlsEnabled(true)
                .brokerClientTrustCertsFilePath(secure.resolve(authority).toString());
        return token == null
                ? record.build()
                : record.authenticationPlugin(AuthenticationToken.class.getName())
                        .authenticationParameters(token)
                        .build();
    }

    private static void awaitReplication(PulsarAdmin admin, boolean connected, long backlog) {
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            var stats = admin.topics().getStats(TOPIC).getReplication().get("secure");
            assertThat(stats).isNotNull().satisfies(to -> {
                assertThat(to.isConnected()).isEqualTo(connected);
                assertThat(to.getReplicationBacklog()).isEqualTo(backlog);
            });
        });
    }
}
