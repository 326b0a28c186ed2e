package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.conformance.clients.PulsarClients;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Authentication;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.auth.oauth2.AuthenticationFactoryOAuth2;

/**
 * Clients that get their tokens from an identity provider by themselves, over OAuth2's client credentials: of Java, librdkafka, C++ and Go.
 * They write while their tokens end one after the other and the provider changes its key, and lose no connection.
 */
final class ProvidedLogins {
    private static final List<String> CLIENTS = List.of(
            "alice.kafka-java",
            "alice.pulsar-java",
            "alice.librdkafka",
            "alice.cpp",
            "alice.franz-go",
            "alice.pulsar-go");

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String TOPIC = "secured-provided";

    private final IdentityProvider provider;
    private final Path folder;
    private final String bootstrap;
    private final String serviceUrl;

    /** @param folder with {@code ca.pem}, for the files of clients */
    ProvidedLogins(IdentityProvider provider, Path folder, String bootstrap, String serviceUrl) {
        this.provider = provider;
        this.folder = folder;
        this.bootstrap = bootstrap;
        this.serviceUrl = serviceUrl;
    }

    void check(PulsarAdminFactory http) throws Exception {
        String[] arguments = Stream.of(folder, bootstrap, serviceUrl, provider.issuer())
                .map(Object::toString)
                .toArray(String[]::new);
        for (String client : List.of("alice.cpp", "alice.pulsar-go", "alice.pulsar-java")) {
            credentials(client);
        }
        try (var python = new Program(folder, ClientProgram.pythonCommand("provided.py", arguments));
                var go = new Program(folder, ClientProgram.goCommand("provided", arguments));
                var kafka = new KafkaProducer<>(kafka(), new StringSerializer(), new StringSerializer());
                PulsarClient client = client(IdentityProvider.AUDIENCE);
                PulsarAdmin admin = http.with(authentication(IdentityProvider.AUDIENCE));
                Consumer<String> consumer = client.newConsumer(Schema.STRING)
                        .topic(TOPIC)
                        .subscriptionName("s")
                        .subscribe();
                Producer<String> producer =
                        client.newProducer(Schema.STRING).topic(TOPIC).create()) {
            Sends sends = () -> {
                kafka.send(new ProducerRecord<>(TOPIC + "-kafka", "hello")).get(SOON.toSeconds(), TimeUnit.SECONDS);
                producer.send("hello");
                consumer.acknowledge(consumer.receive((int) SOON.toSeconds(), TimeUnit.SECONDS));
                assertThat(admin.topics().getStats(TOPIC)).isNotNull();
                python.assertAlive();
                go.assertAlive();
            };
            sendUntil(this::haveAllTokens, sends);
            Instant end = provider.lastEnd().plusSeconds(2);
            provider.changeKey();
            sendUntil(() -> haveAllTokens() && Instant.now().isAfter(end), sends);
            python.end();
            go.end();
            assertThat(metric(kafka, "successful-reauthentication-total")).isPositive();
            assertThat(metric(kafka, "failed-reauthentication-total")).isZero();
            assertThat(producer.getLastDisconnectedTimestamp()).isZero();
            assertThat(consumer.getLastDisconnectedTimestamp()).isZero();
        }
        try (PulsarClient client = client("another")) {
            assertThatThrownBy(() -> client.newProducer().topic(TOPIC).create())
                    .isInstanceOf(PulsarClientException.AuthenticationException.class)
                    .hasMessageContaining("the token is of another issuer or for another audience");
        }
    }

    /** An admin client of the server. */
    interface PulsarAdminFactory {
        PulsarAdmin with(Authentication authentication) throws PulsarClientException;
    }

    private interface Sends {
        void run() throws Exception;
    }

    /** Whether all clients have a token of the newest key. */
    private boolean haveAllTokens() {
        return provider.issued().keySet().containsAll(CLIENTS);
    }

    private void sendUntil(BooleanSupplier done, Sends sends) throws Exception {
        long end = System.nanoTime() + SOON.toNanos();
        while (!done.getAsBoolean()) {
            sends.run();
            assertThat(System.nanoTime()).as("tokens: %s", provider.issued()).isLessThan(end);
        }
    }

    private static double metric(KafkaProducer<?, ?> producer, String name) {
        return producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals(name)
                        && metric.metricName().group().equals("producer-metrics"))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    private Map<String, Object> kafka() {
        System.setProperty("org.apache.kafka.sasl.oauthbearer.allowed.urls", provider.tokenUrl());
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("security.protocol", "SASL_SSL");
        settings.put("ssl.truststore.type", "PEM");
        settings.put("ssl.truststore.location", folder.resolve("ca.pem").toString());
        settings.put("sasl.mechanism", "OAUTHBEARER");
        settings.put("sasl.login.callback.handler.class", OAuthBearerLoginCallbackHandler.class.getName());
        settings.put("sasl.oauthbearer.token.endpoint.url", provider.tokenUrl());
        settings.put("sasl.oauthbearer.client.credentials.client.id", "alice.kafka-java");
        settings.put("sasl.oauthbearer.client.credentials.client.secret", IdentityProvider.SECRET);
        settings.put(
                "sasl.jaas.config", "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;");
        settings.put("sasl.login.refresh.min.period.seconds", "0");
        settings.put("sasl.login.refresh.buffer.seconds", "0");
        return settings;
    }

    private PulsarClient client(String audience) throws Exception {
        return PulsarClients.builder(serviceUrl)
                .tlsTrustCertsFilePath(folder.resolve("ca.pem").toString())
                .authentication(authentication(audience))
                .operationTimeout(5, TimeUnit.SECONDS)
                .build();
    }

    private Authentication authentication(String audience) throws IOException {
        URL credentials = folder.resolve("alice.pulsar-java.json").toUri().toURL();
        return AuthenticationFactoryOAuth2.clientCredentials(
                URI.create(provider.issuer()).toURL(), credentials, audience);
    }

    /** File of the form that Pulsar's clients read. */
    private void credentials(String client) throws IOException {
        Files.writeString(
                folder.resolve(client + ".json"),
                "{\"type\": \"sn_service_account\", \"client_id\": \"%s\", \"client_secret\": \"%s\", \"client_email\": \"%s\","
                                .formatted(client, IdentityProvider.SECRET, "alice@example.com")
                        + " \"issuer_url\": \"%s\"}".formatted(provider.issuer()));
    }

    /** A program that goes on until its input ends. */
    private static final class Program implements AutoCloseable {
        private final Path log;
        private final Process process;

        Program(Path folder, List<String> command) throws IOException {
            log = Files.createTempFile(folder, "provided", ".txt");
            process = new ProcessBuilder(command)
                    .directory(Path.of("clients").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        }

        void assertAlive() throws IOException {
            assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
        }

        void end() throws Exception {
            process.getOutputStream().close();
            assertThat(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(log).strip()).endsWith("all ok");
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
