package io.sluice.kafka;

import static java.util.Objects.requireNonNull;
import static org.apache.kafka.common.quota.ClientQuotaEntity.CLIENT_ID;
import static org.apache.kafka.common.quota.ClientQuotaEntity.IP;
import static org.apache.kafka.common.quota.ClientQuotaEntity.USER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
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
import io.sluice.kafka.KafkaGatewayConfig.Listener;
import io.sluice.store.cluster.InMemoryMetadata;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterClientQuotasOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.quota.ClientQuotaFilterComponent;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.ConfigCommand;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's admin client and its {@code kafka-configs.sh} set quotas, and its clients are kept to them. */
class QuotasTest {
    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);
    private static final String PRODUCE = "producer_byte_rate";
    private static final String CONSUME = "consumer_byte_rate";
    private static final String TIME = "request_percentage";
    private static final String MUTATIONS = "controller_mutation_rate";
    private static final int LIMIT = 400_000;
    private static final int RECORD = 40_000;
    /** Of which a second's worth goes at once. */
    private static final int RECORDS = 5 * LIMIT / RECORD;

    /** Of which the first and the last second's worth are not waited for. */
    private static final int READ = 8 * LIMIT / RECORD;

    @TempDir
    private Path folder;

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final AccessRules rules = new AccessRules(metadata, TASKS);
    private final Users users = new Users(metadata, TASKS);
    private TestGateway gateway;
    private Admin root;

    @BeforeEach
    void start() throws Exception {
        rules.load();
        users.load();
        for (String name : List.of("root", "alice")) {
            User made = User.of(name, Set.of(), "secret", new SecureRandom());
            users.change(name, _ -> made);
        }
        ResourcePattern topics = new ResourcePattern(ResourceType.TOPIC, ResourcePattern.EVERY, false);
        rules.add(topics, List.of(new AccessRule(topics, "User:alice", AccessRule.ANY_HOST, Operation.ALL, true)));
        Identities identities = new Identities(
                users, new Tokens(TokenRules.NONE), CertificateNames.parse("DEFAULT"), new ClientBounds(1_000), 0);
        var security = new ListenerSecurity(null, Set.of(Authentication.PASSWORD), identities);
        gateway = new TestGateway(
                List.of(new Listener("sasl", "127.0.0.1", 0, "127.0.0.1", 0, security)),
                new RuleAuthorizer(rules, Set.of("User:root"), false),
                users,
                rules);
        gateway.broker.createTopic("orders", 1);
        root = Admin.create(settings("root"));
    }

    @AfterEach
    void stop() {
        root.close();
        gateway.close();
        users.close();
        rules.close();
        metadata.close();
    }

    private Map<String, Object> settings(String user) {
        Map<String, Object> settings = new HashMap<>(gateway.clientSettings());
        settings.put("security.protocol", "SASL_PLAINTEXT");
        settings.put("sasl.mechanism", "PLAIN");
        settings.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"" + user
                        + "\" password=\"secret\";");
        return settings;
    }

    private static <T> T got(Future<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static void assertRefused(Class<? extends Exception> how, KafkaFuture<?> future, String why) {
        assertThatThrownBy(() -> got(future))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(how)
                .hasMessageContaining(why);
    }

    /** @param user null for none; empty for the default */
    private static ClientQuotaEntity entity(@Nullable String user, @Nullable String clientId) {
        Map<String, @Nullable String> parts = new HashMap<>();
        if (user != null) {
            parts.put(USER, user.isEmpty() ? null : user);
        }
        if (clientId != null) {
            parts.put(CLIENT_ID, clientId.isEmpty() ? null : clientId);
        }
        return new ClientQuotaEntity(parts);
    }

    private static ClientQuotaAlteration set(ClientQuotaEntity entity, String key, @Nullable Double value) {
        return new ClientQuotaAlteration(entity, List.of(new ClientQuotaAlteration.Op(key, value)));
    }

    private static KafkaFuture<Void> alter(Admin admin, ClientQuotaAlteration... changes) {
        return admin.alterClientQuotas(List.of(changes)).all();
    }

    private Map<ClientQuotaEntity, Map<String, Double>> all(ClientQuotaFilter filter) throws Exception {
        return got(root.describeClientQuotas(filter).entities());
    }

    @Test
    void quotasAreSetShownAndTakenAway() throws Exception {
        ClientQuotaEntity alice = entity("alice", null);
        ClientQuotaEntity aliceAnyApp = entity("alice", "");
        ClientQuotaEntity everyUser = entity("", null);
        ClientQuotaEntity app = entity(null, "app");
        got(alter(
                root,
                set(alice, PRODUCE, 1_000.0),
                set(aliceAnyApp, CONSUME, 2_000.0),
                set(everyUser, PRODUCE, 3_000.0),
                set(app, PRODUCE, 4_000.0)));
        got(alter(root, set(alice, CONSUME, 5_000.0), set(app, TIME, 12.5)));
        assertThat(all(ClientQuotaFilter.all()))
                .isEqualTo(Map.of(
                        alice, Map.of(PRODUCE, 1_000.0, CONSUME, 5_000.0),
                        aliceAnyApp, Map.of(CONSUME, 2_000.0),
                        everyUser, Map.of(PRODUCE, 3_000.0),
                        app, Map.of(PRODUCE, 4_000.0, TIME, 12.5)));
        var ofAlice = List.of(ClientQuotaFilterComponent.ofEntity(USER, "alice"));
        assertThat(all(ClientQuotaFilter.contains(ofAlice))).containsOnlyKeys(alice, aliceAnyApp);
        assertThat(all(ClientQuotaFilter.containsOnly(ofAlice))).containsOnlyKeys(alice);
        assertThat(all(ClientQuotaFilter.containsOnly(List.of(ClientQuotaFilterComponent.ofDefaultEntity(USER)))))
                .containsOnlyKeys(everyUser);
        assertThat(all(ClientQuotaFilter.contains(List.of(ClientQuotaFilterComponent.ofEntityType(CLIENT_ID)))))
                .containsOnlyKeys(app, aliceAnyApp);

        got(root.alterClientQuotas(List.of(set(app, PRODUCE, 9.0)), new AlterClientQuotasOptions().validateOnly(true))
                .all());
        got(alter(root, set(alice, CONSUME, null), set(everyUser, PRODUCE, null), set(everyUser, CONSUME, null)));
        assertThat(all(ClientQuotaFilter.all()))
                .isEqualTo(Map.of(
                        alice, Map.of(PRODUCE, 1_000.0),
                        aliceAnyApp, Map.of(CONSUME, 2_000.0),
                        app, Map.of(PRODUCE, 4_000.0, TIME, 12.5)));
    }

    @Test
    void whatIsNotKeptToIsRefusedAndTheRestIsSet() throws Exception {
        ClientQuotaEntity alice = entity("alice", null);
        ClientQuotaEntity bob = entity("bob", null);
        var asked = root.alterClientQuotas(List.of(set(alice, MUTATIONS, 50.0), set(bob, PRODUCE, 1_000.0)))
                .values();
        assertRefused(InvalidRequestException.class, requireNonNull(asked.get(alice)), MUTATIONS);
        got(requireNonNull(asked.get(bob)));
        assertThat(all(ClientQuotaFilter.all())).containsOnlyKeys(bob);
        for (double odd : new double[] {0, -1, 0.5, Double.NaN}) {
            assertRefused(InvalidRequestException.class, alter(root, set(alice, PRODUCE, odd)), PRODUCE);
        }
        for (double odd : new double[] {0, -1, 1e-9, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertRefused(InvalidRequestException.class, alter(root, set(alice, TIME, odd)), TIME);
        }
        assertRefused(InvalidRequestException.class, alter(root, set(alice, "no_such_rate", 1.0)), "no_such_rate");
        assertRefused(
                InvalidRequestException.class,
                alter(root, set(new ClientQuotaEntity(Map.of(IP, "10.0.0.1")), "connection_creation_rate", 1.0)),
                "addresses");
        assertRefused(
                InvalidRequestException.class,
                alter(root, set(new ClientQuotaEntity(Map.of("planet", "mars")), PRODUCE, 1.0)),
                "planet");
        assertRefused(
                InvalidRequestException.class,
                root.alterClientQuotas(
                                List.of(set(alice, PRODUCE, 0.0)), new AlterClientQuotasOptions().validateOnly(true))
                        .all(),
                PRODUCE);
        assertRefused(
                UnsupportedVersionException.class,
                root.describeClientQuotas(
                                ClientQuotaFilter.contains(List.of(ClientQuotaFilterComponent.ofEntityType("planet"))))
                        .entities(),
                "planet");
        assertThat(all(ClientQuotaFilter.all())).containsOnlyKeys(bob);
    }

    @Test
    void theyAreForThoseWhoMaySeeAndChangeTheClustersSettings() throws Exception {
        ResourcePattern cluster = new ResourcePattern(ResourceType.CLUSTER, ResourcePattern.CLUSTER, false);
        try (Admin alice = Admin.create(settings("alice"))) {
            var describe = ClientQuotaFilter.all();
            var change = set(entity("alice", null), PRODUCE, 1_000.0);
            assertRefused(
                    ClusterAuthorizationException.class,
                    alice.describeClientQuotas(describe).entities(),
                    "");
            assertRefused(ClusterAuthorizationException.class, alter(alice, change), "");
            allow(cluster, Operation.DESCRIBE_CONFIGS);
            assertThat(got(alice.describeClientQuotas(describe).entities())).isEmpty();
            assertRefused(ClusterAuthorizationException.class, alter(alice, change), "");
            allow(cluster, Operation.ALTER_CONFIGS);
            got(alter(alice, change));
        }
    }

    private void allow(ResourcePattern pattern, Operation operation) throws Exception {
        rules.add(pattern, List.of(new AccessRule(pattern, "User:alice", AccessRule.ANY_HOST, operation, true)));
    }

    @Test
    void kafkasCommandSetsShowsAndDeletesThem() throws Exception {
        configs("--alter --add-config producer_byte_rate=1024,consumer_byte_rate=2048 --entity-type users"
                + " --entity-name alice");
        configs("--alter --add-config consumer_byte_rate=4096 --entity-type users --entity-name alice"
                + " --entity-type clients --entity-default");
        configs("--alter --add-config producer_byte_rate=8192,request_percentage=0.1 --entity-type clients"
                + " --entity-default");
        configs("--describe --entity-type users --entity-name alice");
        assertThat(all(ClientQuotaFilter.all()))
                .isEqualTo(Map.of(
                        entity("alice", null), Map.of(PRODUCE, 1_024.0, CONSUME, 2_048.0),
                        entity("alice", ""), Map.of(CONSUME, 4_096.0),
                        entity(null, ""), Map.of(PRODUCE, 8_192.0, TIME, 0.1)));
        configs("--alter --delete-config producer_byte_rate --entity-type users --entity-name alice");
        configs("--alter --delete-config producer_byte_rate,request_percentage --entity-type clients --entity-default");
        assertThat(all(ClientQuotaFilter.all()))
                .isEqualTo(Map.of(
                        entity("alice", null),
                        Map.of(CONSUME, 2_048.0),
                        entity("alice", ""),
                        Map.of(CONSUME, 4_096.0)));
    }

    private void configs(String command) throws Exception {
        Path config = folder.resolve("root.properties");
        List<String> lines = new ArrayList<>();
        settings("root").forEach((key, value) -> lines.add(key + "=" + value));
        Files.write(config, lines);
        List<String> words = new ArrayList<>(
                List.of("--bootstrap-server", "127.0.0.1:" + gateway.port, "--command-config", config.toString()));
        words.addAll(Arrays.asList(command.split(" ")));
        Exit.setExitProcedure((status, message) -> {
            throw new AssertionError(command + " ended with " + status + ": " + message);
        });
        try {
            ConfigCommand.main(words.toArray(String[]::new));
        } finally {
            Exit.resetExitProcedure();
        }
    }

    private KafkaProducer<byte[], byte[]> producer(String user, String clientId) {
        Map<String, Object> settings = settings(user);
        settings.put("client.id", clientId);
        settings.put("batch.size", RECORD);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Nanoseconds until all are written. */
    private long write(KafkaProducer<byte[], byte[]> producer) throws Exception {
        long began = System.nanoTime();
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            sent.add(producer.send(new ProducerRecord<>("orders", 0, null, new byte[RECORD])));
        }
        for (Future<RecordMetadata> each : sent) {
            got(each);
        }
        return System.nanoTime() - began;
    }

    private static double value(Map<MetricName, ? extends Metric> metrics, String name) {
        return metrics.entrySet().stream()
                .filter(each -> each.getKey().name().equals(name))
                .mapToDouble(each -> (double) each.getValue().metricValue())
                .max()
                .orElseThrow();
    }

    /** A slow machine makes it less. */
    private static void assertKeptTo(int records, long nanos) {
        assertThat(records * (double) RECORD / nanos * TimeUnit.SECONDS.toNanos(1))
                .as("bytes a second, of which %d are allowed", LIMIT)
                .isLessThan(1.5 * LIMIT);
    }

    @Test
    void clientsAreKeptToTheirRatesAndAreToldSo() throws Exception {
        try (var writer = producer("alice", "app");
                var free = producer("root", "app")) {
            write(free);
            assertThat(value(free.metrics(), "produce-throttle-time-max")).isZero();
            got(alter(root, set(entity("alice", null), PRODUCE, (double) LIMIT)));
            assertKeptTo(RECORDS, write(writer));
            assertThat(value(writer.metrics(), "produce-throttle-time-max")).isPositive();
            write(free);
            assertThat(value(free.metrics(), "produce-throttle-time-max")).isZero();
            assertThat(throttled()).isPositive();
        }
        // by a default, and while the client is connected
        Map<String, Object> settings = settings("alice");
        settings.put("client.id", "reader");
        settings.put("auto.offset.reset", "earliest");
        try (var reader = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TopicPartition orders = new TopicPartition("orders", 0);
            reader.assign(List.of(orders));
            read(reader, 1);
            got(alter(root, set(entity(null, ""), CONSUME, (double) LIMIT)));
            reader.seekToBeginning(List.of(orders));
            assertKeptTo(READ, read(reader, READ));
            assertThat(value(reader.metrics(), "fetch-throttle-time-max")).isPositive();
        }
    }

    /** By requests of any kind; each pause is a second at most. */
    @Test
    void clientsAreKeptToTheirShareOfTime() throws Exception {
        Map<String, Object> settings = settings("alice");
        settings.put("client.id", "limited");
        try (Admin limited = Admin.create(settings)) {
            got(limited.describeCluster().nodes());
            assertThat(throttled()).isZero();
            got(alter(root, set(entity(null, "limited"), TIME, 1e-6)));
            long began = System.nanoTime();
            for (int i = 0; i < 3; i++) {
                got(limited.describeCluster().nodes());
            }
            assertThat(System.nanoTime() - began)
                    .isBetween(TimeUnit.MILLISECONDS.toNanos(1_800), TimeUnit.SECONDS.toNanos(30));
            assertThat(throttled()).isGreaterThanOrEqualTo(2);
            got(alter(root, set(entity(null, "limited"), TIME, null)));
            got(limited.describeCluster().nodes());
        }
    }

    private double throttled() {
        return gateway.registry.get("sluice.kafka.requests.throttled").counter().count();
    }

    /** Nanoseconds until as many are read. */
    private static long read(KafkaConsumer<byte[], byte[]> reader, int records) {
        long began = System.nanoTime();
        int count = 0;
        while (count < records) {
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(60));
            count += reader.poll(Duration.ofMillis(200)).count();
        }
        return System.nanoTime() - began;
    }
}
