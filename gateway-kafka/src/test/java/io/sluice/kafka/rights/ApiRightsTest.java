package io.sluice.kafka.rights;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.Right;
import io.sluice.broker.access.RightsPage;
import io.sluice.broker.access.RuleAuthorizer;
import io.sluice.broker.identity.Users;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.RawClient;
import io.sluice.kafka.api.ApiRights;
import io.sluice.kafka.coordinator.GroupSettings;
import io.sluice.kafka.transaction.TransactionServer;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.transactions.TransactionSettings;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every API in every version: the rights that it asks for are those of {@link ApiRights}, and who has none of them is refused. What is
 * neither asked for nor in that table is not spoken.
 */
class ApiRightsTest {
    private static final Set<Errors> REFUSALS = EnumSet.of(
            Errors.TOPIC_AUTHORIZATION_FAILED,
            Errors.GROUP_AUTHORIZATION_FAILED,
            Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            Errors.CLUSTER_AUTHORIZATION_FAILED,
            Errors.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED);
    /** Refused to everybody on a listener that does not ask who its clients are; {@code DelegationTokenTest} has them where it does. */
    private static final Set<ApiKeys> WANT_LOGIN = EnumSet.of(
            ApiKeys.CREATE_DELEGATION_TOKEN,
            ApiKeys.RENEW_DELEGATION_TOKEN,
            ApiKeys.EXPIRE_DELEGATION_TOKEN,
            ApiKeys.DESCRIBE_DELEGATION_TOKEN);

    /** They list what the client may see: nothing; or tell what it may do. */
    private static final Set<ApiKeys> NEVER_REFUSED =
            EnumSet.of(ApiKeys.API_VERSIONS, ApiKeys.LIST_GROUPS, ApiKeys.LIST_TRANSACTIONS, ApiKeys.DESCRIBE_CLUSTER);

    private static final String SUBSCRIPTION = "_sub." + FilledRequest.TOPIC + "/readers";

    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);

    private final Recorder recorder = new Recorder();
    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final Users users = new Users(metadata, TASKS);
    private TransactionServer server;
    private RightsRequests requests;
    private int made;

    /** Writes down what it is asked for, and allows what a test says. */
    private static final class Recorder implements Authorizer {
        private final Set<Right> asked = new ConcurrentSkipListSet<>();
        private volatile Authorizer answers = Authorizer.ALLOW_ALL;

        @Override
        public boolean allows(Principal who, Operation operation, TopicName topic) {
            asked.add(new Right(ResourceType.TOPIC, operation));
            return answers.allows(who, operation, topic);
        }

        @Override
        public boolean allows(Principal who, Operation operation, ResourceType type, String name) {
            asked.add(new Right(type, operation));
            return answers.allows(who, operation, type, name);
        }

        @Override
        public boolean allowsOnCluster(Principal who, Operation operation) {
            asked.add(new Right(ResourceType.CLUSTER, operation));
            return answers.allowsOnCluster(who, operation);
        }

        @Override
        public boolean allowsOnAny(Principal who, Operation operation, ResourceType type) {
            asked.add(new Right(type, operation));
            return answers.allowsOnAny(who, operation, type);
        }
    }

    /** Answers by the type of the resource. */
    private record ByRight(Predicate<Right> allowed) implements Authorizer {
        @Override
        public boolean allows(Principal who, Operation operation, TopicName topic) {
            return allowed.test(new Right(ResourceType.TOPIC, operation));
        }

        @Override
        public boolean allows(Principal who, Operation operation, ResourceType type, String name) {
            return allowed.test(new Right(type, operation));
        }

        @Override
        public boolean allowsOnCluster(Principal who, Operation operation) {
            return allowed.test(new Right(ResourceType.CLUSTER, operation));
        }

        @Override
        public boolean allowsOnAny(Principal who, Operation operation, ResourceType type) {
            return allowed.test(new Right(type, operation));
        }
    }

    @BeforeEach
    void start() throws Exception {
        users.load();
        GroupSettings usual = GroupSettings.DEFAULT;
        var groups = new GroupSettings(
                2,
                Duration.ZERO,
                Duration.ofMillis(10),
                Duration.ofSeconds(1),
                usual.consumerHeartbeat(),
                usual.shareHeartbeat(),
                usual.shareLock(),
                usual.offsetsRetention(),
                usual.retentionCheckInterval(),
                usual.maxGroupSize(),
                usual.writeTimeout());
        server = new TransactionServer(groups, TransactionSettings.DEFAULT, recorder, users);
        server.create(FilledRequest.TOPIC, 1);
        requests = new RightsRequests(server.id(FilledRequest.TOPIC));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        users.close();
        metadata.close();
    }

    private Map<ApiKeys, List<Short>> spoken() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            var asked = new ApiVersionsRequestData().setClientSoftwareName("t").setClientSoftwareVersion("1");
            var answer = new ApiVersionsResponseData(client.call(ApiKeys.API_VERSIONS, (short) 4, asked), (short) 4);
            Map<ApiKeys, List<Short>> all = new TreeMap<>();
            answer.apiKeys().forEach(api -> {
                ApiKeys key = ApiKeys.forId(api.apiKey());
                all.put(
                        key,
                        key.allVersions().stream()
                                .filter(v -> v >= api.minVersion() && v <= api.maxVersion())
                                .toList());
            });
            return all;
        }
    }

    /** Of a topic that is made where the client may. */
    private MetadataRequestData toBeMade() {
        MetadataRequestData asked = new MetadataRequestData();
        asked.topics().add(new MetadataRequestTopic().setName("made-" + made++));
        return asked;
    }

    private Map<Errors, Integer> errors(ApiKeys api, short version, ApiMessage request) throws Exception {
        try (RawClient client = new RawClient(server.port())) {
            if (api == ApiKeys.SHARE_ACKNOWLEDGE) {
                // in a session, which is of a connection
                ApiMessage open = requests.of(ApiKeys.SHARE_FETCH, version).getFirst();
                client.call(ApiKeys.SHARE_FETCH, version, open);
            }
            return AbstractResponse.parseResponse(api, client.call(api, version, request), version)
                    .errorCounts();
        } catch (EOFException e) {
            throw new AssertionError("no answer to " + api + " v" + version + ": " + request, e);
        }
    }

    private boolean isRefused(ApiKeys api, short version, ApiMessage request) throws Exception {
        return errors(api, version, request).keySet().stream().anyMatch(REFUSALS::contains);
    }

    @Test
    void everyApiAsksForTheRightsOfTheTable() throws Exception {
        Map<ApiKeys, Set<Right>> asked = new EnumMap<>(ApiKeys.class);
        List<Authorizer> authorizers = List.of(
                Authorizer.ALLOW_ALL,
                new ByRight(right -> right.type() != ResourceType.CLUSTER),
                new ByRight(right -> right.type() != ResourceType.CLUSTER && right.operation() != Operation.CREATE),
                new ByRight(right -> right.type() == ResourceType.CLUSTER),
                new ByRight(right -> false));
        for (var each : spoken().entrySet()) {
            recorder.asked.clear();
            for (Authorizer authorizer : authorizers) {
                recorder.answers = authorizer;
                for (short version : each.getValue()) {
                    for (ApiMessage request : requests.of(each.getKey(), version)) {
                        errors(each.getKey(), version, request);
                    }
                    if (each.getKey() == ApiKeys.METADATA) {
                        errors(ApiKeys.METADATA, version, toBeMade());
                    }
                }
            }
            asked.put(each.getKey(), new TreeSet<>(recorder.asked));
        }
        Map<ApiKeys, Set<Right>> table = new EnumMap<>(ApiKeys.class);
        asked.keySet().forEach(api -> table.put(api, new TreeSet<>(ApiRights.of(api))));
        // Of topics in a transaction, and of those that a group's members read: there are none here.
        Right describes = new Right(ResourceType.TOPIC, Operation.DESCRIBE);
        for (ApiKeys api : List.of(
                ApiKeys.DESCRIBE_TRANSACTIONS,
                ApiKeys.CONSUMER_GROUP_DESCRIBE,
                ApiKeys.SHARE_GROUP_DESCRIBE,
                ApiKeys.STREAMS_GROUP_DESCRIBE)) {
            assertThat(requireNonNull(table.get(api)).remove(describes)).isTrue();
        }
        WANT_LOGIN.forEach(api -> assertThat(asked.remove(api)).isEmpty());
        table.keySet().removeAll(WANT_LOGIN);
        // The answer tells what may be done with each topic.
        requireNonNull(asked.get(ApiKeys.DESCRIBE_TOPIC_PARTITIONS)).retainAll(Set.of(describes));
        assertThat(asked).isEqualTo(table);
    }

    @Test
    void aClientWithoutRightsIsRefusedEverything() throws Exception {
        recorder.answers = new ByRight(right -> false);
        for (var each : spoken().entrySet()) {
            for (short version : each.getValue()) {
                for (ApiMessage request : requests.of(each.getKey(), version)) {
                    Map<Errors, Integer> errors = errors(each.getKey(), version, request);
                    // Until version 3 it has no field for it, and lists nothing.
                    boolean cannotTell = each.getKey() == ApiKeys.DESCRIBE_LOG_DIRS && version < 3;
                    if (NEVER_REFUSED.contains(each.getKey()) || cannotTell) {
                        assertThat(errors.keySet())
                                .as("%s v%d", each.getKey(), version)
                                .containsOnly(Errors.NONE);
                    } else {
                        assertThat(errors.keySet())
                                .as("%s v%d", each.getKey(), version)
                                .containsAnyElementsOf(REFUSALS)
                                .isSubsetOf(withNone(REFUSALS));
                    }
                }
            }
        }
    }

    @Test
    void aRightThatGoesWhileAMemberWaitsForItsGroupIsMissedByTheAnswer() throws Exception {
        try (RawClient client = new RawClient(server.port())) {
            JoinGroupRequestData join = new JoinGroupRequestData()
                    .setGroupId("waiting")
                    .setSessionTimeoutMs(60_000)
                    .setRebalanceTimeoutMs(60_000)
                    .setProtocolType("consumer");
            join.protocols().add(new JoinGroupRequestData.JoinGroupRequestProtocol().setName("range"));
            recorder.answers = allowing(1);
            assertThat(joined(client, join).errorCode()).isEqualTo(Errors.GROUP_AUTHORIZATION_FAILED.code());
            join.setGroupId("another");
            recorder.answers = Authorizer.ALLOW_ALL;
            JoinGroupResponseData member = joined(client, join);
            SyncGroupRequestData sync = new SyncGroupRequestData()
                    .setGroupId("another")
                    .setMemberId(member.memberId())
                    .setGenerationId(member.generationId());
            recorder.answers = allowing(1);
            short version = 3;
            assertThat(new SyncGroupResponseData(client.call(ApiKeys.SYNC_GROUP, version, sync), version).errorCode())
                    .isEqualTo(Errors.GROUP_AUTHORIZATION_FAILED.code());
        }
    }

    private static JoinGroupResponseData joined(RawClient client, JoinGroupRequestData join) throws IOException {
        short version = 3;
        return new JoinGroupResponseData(client.call(ApiKeys.JOIN_GROUP, version, join), version);
    }

    /** What is asked for after so many times is refused. */
    private static Authorizer allowing(int times) {
        AtomicInteger left = new AtomicInteger(times);
        return new ByRight(right -> left.getAndDecrement() > 0);
    }

    @Test
    void thePageHasTheTable() throws IOException {
        Map<String, Set<Right>> all = new LinkedHashMap<>();
        for (ApiKeys api : spoken().keySet()) {
            all.put(api.name, ApiRights.of(api));
        }
        RightsPage.check("What Kafka's requests need", "requests", all);
    }

    private static Set<Errors> withNone(Set<Errors> errors) {
        Set<Errors> more = EnumSet.copyOf(errors);
        more.add(Errors.NONE);
        return more;
    }

    private static AccessRule allow(ResourceType type, Operation operation) {
        String name = type == ResourceType.CLUSTER ? ResourcePattern.CLUSTER : ResourcePattern.EVERY;
        return new AccessRule(
                new ResourcePattern(type, name, false),
                KafkaPrincipal.ANONYMOUS.toString(),
                AccessRule.ANY_HOST,
                operation,
                true);
    }

    /** APIs of which some request is refused to a client with these rules, in their newest version. */
    private Set<ApiKeys> refused(AccessRule... allowed) throws Exception {
        try (var rules = new AccessRules(new InMemoryMetadata(), TASKS)) {
            rules.load();
            for (AccessRule rule : allowed) {
                rules.add(rule.resource(), List.of(rule));
            }
            recorder.answers = new RuleAuthorizer(rules, Set.of(), false);
            Set<ApiKeys> refused = EnumSet.noneOf(ApiKeys.class);
            for (var each : spoken().entrySet()) {
                short version = each.getValue().getLast();
                for (ApiMessage request : requests.of(each.getKey(), version)) {
                    if (isRefused(each.getKey(), version, request)) {
                        refused.add(each.getKey());
                    }
                }
            }
            return refused;
        }
    }

    @Test
    void aReaderMayReadAndAWriterMayWrite() throws Exception {
        Set<ApiKeys> reader =
                refused(allow(ResourceType.TOPIC, Operation.READ), allow(ResourceType.GROUP, Operation.READ));
        assertThat(reader)
                .doesNotContain(
                        ApiKeys.METADATA,
                        ApiKeys.FETCH,
                        ApiKeys.LIST_OFFSETS,
                        ApiKeys.JOIN_GROUP,
                        ApiKeys.SYNC_GROUP,
                        ApiKeys.HEARTBEAT,
                        ApiKeys.OFFSET_COMMIT,
                        ApiKeys.OFFSET_FETCH,
                        ApiKeys.CONSUMER_GROUP_HEARTBEAT,
                        ApiKeys.CONSUMER_GROUP_DESCRIBE,
                        ApiKeys.DESCRIBE_TOPIC_PARTITIONS)
                .contains(
                        ApiKeys.PRODUCE,
                        ApiKeys.INIT_PRODUCER_ID,
                        ApiKeys.DELETE_GROUPS,
                        ApiKeys.OFFSET_DELETE,
                        ApiKeys.DELETE_TOPICS,
                        ApiKeys.CREATE_TOPICS,
                        ApiKeys.DESCRIBE_CONFIGS);
        Set<ApiKeys> writer = refused(
                allow(ResourceType.TOPIC, Operation.WRITE), allow(ResourceType.TRANSACTIONAL_ID, Operation.WRITE));
        assertThat(writer)
                .doesNotContain(ApiKeys.PRODUCE, ApiKeys.METADATA, ApiKeys.END_TXN, ApiKeys.DESCRIBE_TRANSACTIONS)
                .contains(
                        ApiKeys.FETCH,
                        ApiKeys.JOIN_GROUP,
                        ApiKeys.TXN_OFFSET_COMMIT,
                        ApiKeys.ADD_OFFSETS_TO_TXN,
                        ApiKeys.WRITE_TXN_MARKERS,
                        ApiKeys.DESCRIBE_ACLS);
    }

    /** Lets clients do these things on the topic and on this subscription's group, and nothing else. */
    private record OnlyOn(String group, Set<Right> allowed) implements Authorizer {
        @Override
        public boolean allows(Principal who, Operation operation, TopicName topic) {
            return topic.equals(TopicName.ofDefault(FilledRequest.TOPIC))
                    && allowed.contains(new Right(ResourceType.TOPIC, operation));
        }

        @Override
        public boolean allows(Principal who, Operation operation, ResourceType type, String name) {
            return type == ResourceType.GROUP && name.equals(group) && allowed.contains(new Right(type, operation));
        }

        @Override
        public boolean allowsOnCluster(Principal who, Operation operation) {
            return false;
        }

        @Override
        public boolean allowsOnAny(Principal who, Operation operation, ResourceType type) {
            return false;
        }
    }

    /** The right and what it implies. */
    private static Set<Right> with(ResourceType type, Operation operation) {
        return Set.copyOf(List.of(new Right(type, operation), new Right(type, Operation.DESCRIBE)));
    }

    private static Set<Right> allBut(ResourceType type, Operation operation) {
        Set<Operation> others = EnumSet.complementOf(EnumSet.of(operation));
        if (operation == Operation.DESCRIBE) {
            others.removeAll(EnumSet.of(Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER));
        }
        return others.stream().map(each -> new Right(type, each)).collect(Collectors.toSet());
    }

    private static Set<Right> both(Set<Right> some, Set<Right> more) {
        Set<Right> all = new TreeSet<>(some);
        all.addAll(more);
        return all;
    }

    /** Refused unless it has both rights, and then done. */
    private void needs(Operation onGroup, Operation onTopic, Supplier<KafkaFuture<?>> asked) throws Exception {
        Set<Right> both = both(with(ResourceType.GROUP, onGroup), with(ResourceType.TOPIC, onTopic));
        Set<Right> allButTheTopics = both(with(ResourceType.GROUP, onGroup), allBut(ResourceType.TOPIC, onTopic));
        Set<Right> allButTheGroups = both(allBut(ResourceType.GROUP, onGroup), with(ResourceType.TOPIC, onTopic));
        for (Set<Right> tooFew : List.of(Set.<Right>of(), allButTheTopics, allButTheGroups)) {
            recorder.answers = new OnlyOn(SUBSCRIPTION, tooFew);
            assertThatThrownBy(() -> asked.get().get(60, TimeUnit.SECONDS))
                    .as("with %s", tooFew)
                    .hasCauseInstanceOf(AuthorizationException.class);
        }
        recorder.answers = new OnlyOn("_sub.t/others", both);
        assertThatThrownBy(() -> asked.get().get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(GroupAuthorizationException.class);
        recorder.answers = new OnlyOn(SUBSCRIPTION, both);
        asked.get().get(60, TimeUnit.SECONDS);
    }

    private static Set<String> listed(Admin admin) throws Exception {
        return admin.listGroups().all().get(60, TimeUnit.SECONDS).stream()
                .map(GroupListing::groupId)
                .collect(Collectors.toSet());
    }

    @Test
    void aSubscriptionIsAGroupForThoseWithRightsOnItAndOnItsTopic() throws Exception {
        TopicPartition partition = new TopicPartition(FilledRequest.TOPIC, 0);
        Map<TopicPartition, OffsetAndMetadata> start = Map.of(partition, new OffsetAndMetadata(0));
        try (Admin admin = server.admin()) {
            needs(
                    Operation.READ,
                    Operation.READ,
                    () -> admin.alterConsumerGroupOffsets(SUBSCRIPTION, start).all());
            needs(
                    Operation.DESCRIBE,
                    Operation.DESCRIBE,
                    () -> admin.describeClassicGroups(List.of(SUBSCRIPTION)).all());
            needs(
                    Operation.DESCRIBE,
                    Operation.DESCRIBE,
                    () -> admin.listConsumerGroupOffsets(SUBSCRIPTION)
                            .partitionsToOffsetAndMetadata()
                            .thenApply(offsets -> {
                                if (!offsets.containsKey(partition)) {
                                    throw new TopicAuthorizationException("an offset that is not shown");
                                }
                                return offsets;
                            }));
            Right group = new Right(ResourceType.GROUP, Operation.DESCRIBE);
            Right ofTopic = new Right(ResourceType.TOPIC, Operation.DESCRIBE);
            for (Right one : List.of(group, ofTopic)) {
                recorder.answers = new OnlyOn(SUBSCRIPTION, Set.of(one));
                assertThat(listed(admin)).isEmpty();
            }
            recorder.answers = new OnlyOn(SUBSCRIPTION, Set.of(group, ofTopic));
            assertThat(listed(admin)).containsExactly(SUBSCRIPTION);
            needs(
                    Operation.DELETE,
                    Operation.READ,
                    () -> admin.deleteConsumerGroupOffsets(SUBSCRIPTION, Set.of(partition))
                            .all());
            recorder.answers = Authorizer.ALLOW_ALL;
            assertThat(listed(admin)).isEmpty();
            admin.alterConsumerGroupOffsets(SUBSCRIPTION, start).all().get(60, TimeUnit.SECONDS);
            needs(
                    Operation.DELETE,
                    Operation.READ,
                    () -> admin.deleteConsumerGroups(List.of(SUBSCRIPTION)).all());
            recorder.answers = Authorizer.ALLOW_ALL;
            assertThat(listed(admin)).isEmpty();
        }
    }

    @Test
    void anAdministratorMayDoEverything() throws Exception {
        AccessRule[] all = EnumSet.of(
                        ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID, ResourceType.CLUSTER)
                .stream()
                .map(type -> allow(type, Operation.ALL))
                .toArray(AccessRule[]::new);
        // Two-phase commit is not spoken, and Kafka refuses it so.
        Set<ApiKeys> refused = refused(all);
        refused.removeAll(WANT_LOGIN);
        assertThat(refused).isSubsetOf(ApiKeys.INIT_PRODUCER_ID);
    }
}
