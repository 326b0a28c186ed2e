package io.sluice.kafka;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Authentication;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.tools.AclCommand;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's admin client and its {@code kafka-acls.sh} make, show and delete rules, which count at once. */
class AclsTest {
    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);

    @TempDir
    private Path folder;

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final AccessRules rules = new AccessRules(metadata, TASKS);
    private final Users users = new Users(metadata, TASKS);
    private TestGateway gateway;
    private Admin root;
    private Admin alice;
    private @Nullable KafkaConsumer<byte[], byte[]> reader;

    @BeforeEach
    void start() throws Exception {
        rules.load();
        users.load();
        for (String name : List.of("root", "alice")) {
            User made = User.of(name, Set.of(), "secret", new SecureRandom());
            users.change(name, _ -> made);
        }
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
        alice = Admin.create(settings("alice"));
        got(root.describeCluster().clusterId());
        got(alice.describeCluster().clusterId());
    }

    @AfterEach
    void stop() {
        if (reader != null) {
            reader.close(CloseOptions.timeout(Duration.ZERO));
        }
        root.close();
        alice.close();
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

    private static <T> T got(KafkaFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static void assertRefused(Class<? extends Exception> how, KafkaFuture<?> future) {
        assertThatThrownBy(() -> got(future))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(how);
    }

    private static AclBinding acl(ResourceType type, String name, PatternType pattern, AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(type, name, pattern),
                new AccessControlEntry("User:alice", "*", operation, AclPermissionType.ALLOW));
    }

    private KafkaFuture<?> ordersOf(Admin admin) {
        return admin.describeTopics(List.of("orders")).allTopicNames();
    }

    @Test
    void rulesAreMadeShownAndDeletedAndCountAtOnce() throws Exception {
        AclBinding reads = acl(ResourceType.TOPIC, "orders", PatternType.LITERAL, AclOperation.READ);
        AclBinding writes = acl(ResourceType.TOPIC, "ord", PatternType.PREFIXED, AclOperation.WRITE);
        AclBinding group = acl(ResourceType.GROUP, "*", PatternType.LITERAL, AclOperation.ALL);
        assertRefused(TopicAuthorizationException.class, ordersOf(alice));
        assertRefused(
                ClusterAuthorizationException.class,
                alice.createAcls(List.of(reads)).all());
        assertRefused(
                ClusterAuthorizationException.class,
                alice.describeAcls(AclBindingFilter.ANY).values());

        got(root.createAcls(List.of(reads, writes, group)).all());
        got(root.createAcls(List.of(reads)).all());
        assertThat(got(root.describeAcls(AclBindingFilter.ANY).values()))
                .containsExactlyInAnyOrder(reads, writes, group);
        assertThat(got(root.describeAcls(reads.toFilter()).values())).containsExactly(reads);
        got(ordersOf(alice));

        assertThat(got(root.deleteAcls(List.of(reads.toFilter(), writes.toFilter()))
                        .all()))
                .containsExactlyInAnyOrder(reads, writes);
        assertRefused(TopicAuthorizationException.class, ordersOf(alice));
        assertThat(got(root.deleteAcls(List.of(reads.toFilter())).all())).isEmpty();
    }

    @Test
    void whatIsNoAclIsRefusedByItself() throws Exception {
        AclBinding good = acl(ResourceType.TOPIC, "orders", PatternType.LITERAL, AclOperation.READ);
        AclBinding cluster = acl(ResourceType.CLUSTER, "other", PatternType.LITERAL, AclOperation.READ);
        AclBinding nobody = new AclBinding(
                good.pattern(), new AccessControlEntry("alice", "*", AclOperation.READ, AclPermissionType.ALLOW));
        AclBinding lines = new AclBinding(
                good.pattern(), new AccessControlEntry("User:a\nb", "*", AclOperation.WRITE, AclPermissionType.ALLOW));
        var made = root.createAcls(List.of(cluster, good, nobody)).values();
        assertRefused(InvalidRequestException.class, requireNonNull(made.get(cluster)));
        assertRefused(InvalidRequestException.class, requireNonNull(made.get(nobody)));
        got(requireNonNull(made.get(good)));
        assertRefused(
                InvalidRequestException.class, root.createAcls(List.of(lines)).all());
        assertThat(got(root.describeAcls(AclBindingFilter.ANY).values())).containsExactly(good);
    }

    @Test
    void kafkasCommandMakesShowsAndDeletesThem() throws Exception {
        Path config = folder.resolve("root.properties");
        List<String> lines = new ArrayList<>();
        settings("root").forEach((key, value) -> lines.add(key + "=" + value));
        Files.write(config, lines);
        acls(config, "--add --allow-principal User:alice --consumer --topic orders --group readers");
        acls(
                config,
                "--add --deny-principal User:alice --operation Write --topic ord --resource-pattern-type prefixed");
        acls(config, "--list");
        Collection<AclBinding> there =
                got(root.describeAcls(AclBindingFilter.ANY).values());
        assertThat(there)
                .contains(
                        acl(ResourceType.TOPIC, "orders", PatternType.LITERAL, AclOperation.READ),
                        acl(ResourceType.TOPIC, "orders", PatternType.LITERAL, AclOperation.DESCRIBE),
                        acl(ResourceType.GROUP, "readers", PatternType.LITERAL, AclOperation.READ))
                .hasSize(4);
        got(ordersOf(alice));
        acls(config, "--remove --force --topic orders");
        assertThat(got(root.describeAcls(AclBindingFilter.ANY).values())).hasSize(2);
        assertRefused(TopicAuthorizationException.class, ordersOf(alice));
    }

    /** A reader with a fetch under way. */
    private KafkaConsumer<byte[], byte[]> waiting(String... topics) {
        Map<String, Object> settings = settings("alice");
        settings.put("fetch.max.wait.ms", 600_000);
        settings.put("request.timeout.ms", 700_000);
        settings.put("default.api.timeout.ms", 700_000);
        settings.put("auto.offset.reset", "earliest");
        reader = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        reader.assign(
                Arrays.stream(topics).map(topic -> new TopicPartition(topic, 0)).toList());
        assertThat(reader.poll(Duration.ofSeconds(2))).isEmpty();
        return reader;
    }

    private void write(String topic) throws Exception {
        try (var producer =
                new KafkaProducer<>(settings("root"), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(topic, new byte[100])).get(60, TimeUnit.SECONDS);
        }
    }

    private static void assertLosesOrders(KafkaConsumer<byte[], byte[]> reader) {
        // less than a fetch waits at most
        assertThatThrownBy(() -> assertThat(reader.poll(Duration.ofSeconds(40)))
                        .as("records of a topic that may not be read any more")
                        .isEmpty())
                .isInstanceOfSatisfying(
                        TopicAuthorizationException.class,
                        e -> assertThat(e.unauthorizedTopics()).containsExactly("orders"));
    }

    @Test
    void aRightThatIsTakenAwayEndsAFetchThatWaits() throws Exception {
        AclBinding reads = acl(ResourceType.TOPIC, "orders", PatternType.LITERAL, AclOperation.READ);
        got(root.createAcls(List.of(reads)).all());
        var waiting = waiting("orders");
        got(root.deleteAcls(List.of(reads.toFilter())).all());
        assertLosesOrders(waiting);
    }

    @Test
    void aFetchThatWaitsDeliversNothingThatItsClientMayNotReadAnyMore() throws Exception {
        AclBinding reads = acl(ResourceType.TOPIC, "orders", PatternType.LITERAL, AclOperation.READ);
        got(root.createAcls(List.of(reads)).all());
        var waiting = waiting("orders");
        got(root.deleteAcls(List.of(reads.toFilter())).all());
        write("orders");
        assertLosesOrders(waiting);
    }

    @Test
    void aSessionIsToldOfARightThatIsGoneThoughItsFetchLooksAtOthers() throws Exception {
        gateway.broker.createTopic("others", 1);
        AclBinding reads = acl(ResourceType.TOPIC, "orders", PatternType.LITERAL, AclOperation.READ);
        AclBinding others = acl(ResourceType.TOPIC, "others", PatternType.LITERAL, AclOperation.READ);
        got(root.createAcls(List.of(reads, others)).all());
        var waiting = waiting("orders", "others");
        write("others");
        assertThat(waiting.poll(Duration.ofSeconds(60))).hasSize(1);
        assertThat(waiting.poll(Duration.ofSeconds(1))).isEmpty();
        got(root.deleteAcls(List.of(reads.toFilter())).all());
        assertLosesOrders(waiting);
        write("others");
        waiting.assign(List.of(new TopicPartition("others", 0)));
        assertThat(waiting.poll(Duration.ofSeconds(60))).hasSize(1);
    }

    @Test
    void aUserThatIsDeletedIsOutAtOnce() throws Exception {
        users.change("alice", _ -> null);
        assertRefused(SaslAuthenticationException.class, alice.describeCluster().clusterId());
        alice.close();
        // a login is refused late, so as not to be tried fast
        await().atMost(Duration.ofSeconds(30)).until(() -> gateway.requestMemoryUsed() == 0);
    }

    private void acls(Path config, String command) {
        List<String> words = new ArrayList<>(
                List.of("--bootstrap-server", "127.0.0.1:" + gateway.port, "--command-config", config.toString()));
        words.addAll(Arrays.asList(command.split(" ")));
        AclCommand.main(words.toArray(String[]::new));
    }

    @Test
    void whereEverybodyMayDoEverythingThereAreNoRules() throws Exception {
        try (TestGateway open = new TestGateway(
                        List.of(new Listener("open", "127.0.0.1", 0, "127.0.0.1", 0, ListenerSecurity.OPEN)),
                        io.sluice.broker.access.Authorizer.ALLOW_ALL,
                        users);
                Admin admin = open.admin()) {
            assertRefused(
                    SecurityDisabledException.class,
                    admin.describeAcls(AclBindingFilter.ANY).values());
            assertRefused(
                    SecurityDisabledException.class,
                    admin.deleteAcls(List.of(AclBindingFilter.ANY)).all());
        }
    }
}
