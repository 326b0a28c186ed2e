package io.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.store.tls.TrustedAuthorities;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;

/** What the written files let clients and commands do. */
class SecurityInitTest extends InitializedServer {
    @Test
    void theAdministratorMayWriteOverKafka() throws Exception {
        write(kafkaSettings(), "of-root");
        Properties wrong = kafkaSettings();
        wrong.setProperty(
                "sasl.jaas.config", wrong.getProperty("sasl.jaas.config").replaceFirst("password=\"", "$0x"));
        assertThatThrownBy(() -> write(wrong, "of-root")).hasCauseInstanceOf(AuthenticationException.class);
    }

    @Test
    void theAdministratorMayWriteOverPulsar() throws Exception {
        Properties conf = settings(made.resolve("client.conf"));
        try (PulsarClient client = pulsar(conf)
                        .authentication(conf.getProperty("authPlugin"), conf.getProperty("authParams"))
                        .build();
                Producer<String> producer = client.newProducer(Schema.STRING)
                        .topic("of-root-pulsar")
                        .create()) {
            assertThat(producer.send("hello")).isNotNull();
        }
        try (PulsarClient nobody = pulsar(conf).build()) {
            assertThatThrownBy(() -> nobody.newProducer(Schema.STRING)
                            .topic("of-root-pulsar")
                            .create())
                    .isInstanceOf(PulsarClientException.class);
        }
    }

    private CommandRun check(String credentials, String authority) {
        return CommandRun.of(
                "check",
                "--bootstrap-server",
                server.listeners().kafka(),
                "--pulsar-url",
                "pulsar+ssl://" + server.listeners().pulsar(),
                "--http-url",
                server.listeners().httpUrl(),
                "--command-config",
                made.resolve("client.properties").toString(),
                "--credentials",
                made.resolve(credentials).toString(),
                "--ca",
                made.resolve(authority).toString());
    }

    @Test
    void theCheckPassesWithTheWrittenFiles() {
        for (String credentials : List.of("token", "users")) {
            CommandRun passed = check(credentials, "ca.pem");
            assertThat(passed.code()).as(passed.err()).isZero();
            assertThat(passed.out()).hasLineCount(3).contains("Pulsar  pulsar+ssl://localhost:");
        }
        CommandRun untrusted = check("token", "node-ca.pem");
        assertThat(untrusted.code()).isEqualTo(1);
        assertThat(untrusted.err()).contains("cannot ask https://").hasLineCount(1);
        CommandRun wrong = check("ca.pem", "ca.pem");
        assertThat(wrong.err())
                .isEqualTo(
                        "sluice: --credentials: " + made.resolve("ca.pem") + " has to be one line that is not empty\n");
    }

    @Test
    void httpTakesTheToken() throws Exception {
        URI metrics = URI.create(server.listeners().httpUrl() + "/metrics");
        assertThat(metrics).hasScheme("https");
        String token = Files.readString(made.resolve("token"));
        try (HttpClient client = HttpClient.newBuilder().sslContext(trusting()).build()) {
            HttpRequest.Builder request = HttpRequest.newBuilder(metrics);
            assertThat(client.send(request.build(), BodyHandlers.discarding()).statusCode())
                    .isEqualTo(401);
            request.header("Authorization", "Bearer " + token);
            assertThat(client.send(request.build(), BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void commandsAskOverTls() {
        String[] words = {
            "containers",
            "--http-url",
            server.listeners().httpUrl(),
            "--http-credentials",
            made.resolve("token").toString(),
            "--ca",
            made.resolve("ca.pem").toString()
        };
        CommandRun asked = CommandRun.of(words);
        assertThat(asked.code()).as(asked.err()).isZero();
        words[words.length - 1] = made.resolve("node-ca.pem").toString();
        CommandRun untrusted = CommandRun.of(words);
        assertThat(untrusted.code()).isEqualTo(1);
        assertThat(untrusted.err()).startsWith("sluice: cannot ask https://").hasLineCount(1);
    }

    private BigInteger shownNumber(String address) throws Exception {
        String[] parts = address.split(":");
        try (var socket =
                (SSLSocket) trusting().getSocketFactory().createSocket(parts[0], Integer.parseInt(parts[1]))) {
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
        }
    }

    private SSLContext trusting() throws Exception {
        return TrustedAuthorities.in(made.resolve("ca.pem"));
    }

    /** All three listeners show another certificate than before. */
    private boolean allShowAnother(BigInteger before) throws Exception {
        for (String each : List.of(
                server.listeners().kafka(),
                server.listeners().pulsar(),
                server.listeners().http())) {
            if (shownNumber(each).equals(before)) {
                return false;
            }
        }
        return true;
    }

    private Set<Path> files() throws Exception {
        try (var files = Files.list(made)) {
            return files.collect(Collectors.toSet());
        }
    }

    /** Clients connect anew all the time, until the server shows the new certificate, and a while longer. */
    @Test
    void certificatesAreRenewedUnderLoadWithoutARequestThatFails() throws Exception {
        BigInteger before = shownNumber(server.listeners().http());
        Set<Path> filesBefore = files();
        Properties conf = settings(made.resolve("client.conf"));
        var stop = new AtomicBoolean();
        var sent = new AtomicInteger();
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> kafka = clients.submit(() -> {
                while (!stop.get()) {
                    write(kafkaSettings(), "renewed");
                    sent.incrementAndGet();
                }
                return null;
            });
            Future<?> pulsar = clients.submit(() -> {
                while (!stop.get()) {
                    try (PulsarClient client = pulsar(conf)
                                    .authentication(conf.getProperty("authPlugin"), conf.getProperty("authParams"))
                                    .build();
                            Producer<String> producer = client.newProducer(Schema.STRING)
                                    .topic("renewed-pulsar")
                                    .create()) {
                        producer.send("hello");
                    }
                }
                return null;
            });
            CommandRun renewed = CommandRun.of("security", "renew", "--folder", made.toString());
            assertThat(renewed.code()).as(renewed.err()).isZero();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> kafka.isDone() || pulsar.isDone() || allShowAnother(before));
            int until = sent.get() + 5;
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> kafka.isDone() || pulsar.isDone() || sent.get() >= until);
            stop.set(true);
            kafka.get(60, TimeUnit.SECONDS);
            pulsar.get(60, TimeUnit.SECONDS);
        }
        assertThat(allShowAnother(before)).isTrue();
        assertThat(files()).isEqualTo(filesBefore);
        assertThat(Files.getPosixFilePermissions(made.resolve("server-key.pem")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
}
