package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stock consumers of both group protocols, and the stock admin client, against the gateway. */
class StockConsumersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int PARTITIONS = 4;

    private GroupServer server;

    @BeforeEach
    void start() throws Exception {
        server = new GroupServer();
        server.broker().createTopic("t", PARTITIONS);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static TopicPartition t(int partition) {
        return new TopicPartition("t", partition);
    }

    private static Set<String> read(KafkaConsumer<String, String> consumer, int count) {
        Set<String> values = new HashSet<>();
        await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> {
            consumer.poll(POLL).forEach(record -> values.add(record.value()));
            return values.size() >= count;
        });
        return values;
    }

    /** Polls all of them until each has its number of partitions. */
    private static void awaitShares(Map<KafkaConsumer<String, String>, Integer> shares) {
        await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> {
            shares.keySet().forEach(consumer -> consumer.poll(POLL));
            return shares.entrySet().stream()
                    .allMatch(share -> share.getKey().assignment().size() == share.getValue());
        });
    }

    private static Map<TopicPartition, OffsetAndMetadata> everywhere(long offset) {
        return IntStream.range(0, PARTITIONS)
                .boxed()
                .collect(Collectors.toMap(StockConsumersTest::t, p -> new OffsetAndMetadata(offset)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aGroupReadsOnWhereItCommitted(String protocol) {
        server.produce("t", PARTITIONS, 10);
        try (var consumer = server.consumer(protocol, "g")) {
            consumer.subscribe(List.of("t"));
            assertThat(read(consumer, 40)).hasSize(40);
            consumer.commitSync();
        }
        server.produce("t", PARTITIONS, 5);
        try (var consumer = server.consumer(protocol, "g")) {
            consumer.subscribe(List.of("t"));
            consumer.committed(Set.of(t(0), t(3)))
                    .forEach((tp, committed) -> assertThat(committed.offset()).isEqualTo(10));
            assertThat(read(consumer, 20)).hasSize(20);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void membersShareThePartitionsAndTakeOverFromEachOther(String protocol) {
        try (var first = server.consumer(protocol, "g")) {
            first.subscribe(List.of("t"));
            awaitShares(Map.of(first, 4));
            try (var second = server.consumer(protocol, "g")) {
                second.subscribe(List.of("t"));
                awaitShares(Map.of(first, 2, second, 2));
            }
            awaitShares(Map.of(first, 4));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void membersOutliveTheirCoordinator(String protocol) {
        server.produce("t", PARTITIONS, 10);
        try (var consumer = server.consumer(protocol, "g")) {
            consumer.subscribe(List.of("t"));
            read(consumer, 40);
            consumer.commitSync();

            server.restartContainers();

            server.produce("t", PARTITIONS, 5);
            assertThat(read(consumer, 20)).hasSize(20);
            consumer.commitSync();
            consumer.committed(Set.of(t(2)))
                    .forEach((tp, committed) -> assertThat(committed.offset()).isEqualTo(15));
        }
        try (Admin admin = server.admin()) {
            assertThat(GroupAdmin.offsets(admin, "g")).isEqualTo(everywhereAt(15));
        }
    }

    private static Map<TopicPartition, Long> everywhereAt(long offset) {
        return everywhere(offset).entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().offset()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aStaticMemberThatComesBackFindsItsPartitions(String protocol) {
        Set<TopicPartition> before;
        try (var other = server.consumer(protocol, "g", Map.of("group.instance.id", "other"))) {
            other.subscribe(List.of("t"));
            try (var member = server.consumer(protocol, "g", Map.of("group.instance.id", "member"))) {
                member.subscribe(List.of("t"));
                awaitShares(Map.of(other, 2, member, 2));
                before = member.assignment();
            }
            // Its leave is not a leave: the other keeps its two.
            other.poll(POLL);
            assertThat(other.assignment()).hasSize(2);
            try (var member = server.consumer(protocol, "g", Map.of("group.instance.id", "member"))) {
                member.subscribe(List.of("t"));
                awaitShares(Map.of(other, 2, member, 2));
                assertThat(member.assignment()).isEqualTo(before);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void theAdminClientSeesChangesAndDeletesGroups(String protocol) throws Exception {
        server.produce("t", PARTITIONS, 10);
        try (Admin admin = server.admin();
                var consumer = server.consumer(protocol, "g", Map.of("client.id", "me"))) {
            consumer.subscribe(List.of("t"));
            read(consumer, 40);
            consumer.commitSync();

            assertThat(admin.listGroups().all().get())
                    .extracting(GroupListing::groupId)
                    .containsExactly("g");
            ConsumerGroupDescription described = GroupAdmin.describe(admin, "g");
            assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
            assertThat(described.members()).hasSize(1);
            var member = described.members().iterator().next();
            assertThat(member.clientId()).isEqualTo("me");
            assertThat(member.host()).isEqualTo("/127.0.0.1");
            assertThat(member.assignment().topicPartitions()).hasSize(4);
            assertThat(described.coordinator().id()).isEqualTo(1);
            assertThat(GroupAdmin.offsets(admin, "g")).isEqualTo(everywhereAt(10));
            assertThatThrownBy(
                            () -> admin.deleteConsumerGroups(List.of("g")).all().get())
                    .hasRootCauseInstanceOf(GroupNotEmptyException.class);
        }
        try (Admin admin = server.admin()) {
            admin.alterConsumerGroupOffsets("g", everywhere(3)).all().get();
            admin.deleteConsumerGroupOffsets("g", Set.of(t(0))).all().get();
            assertThat(GroupAdmin.offsets(admin, "g")).isEqualTo(Map.of(t(1), 3L, t(2), 3L, t(3), 3L));
            admin.deleteConsumerGroups(List.of("g")).all().get();
            assertThat(admin.listGroups().all().get()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aGroupWithoutOffsetsStartsWhereItsResetPolicySays(String protocol) {
        server.produce("t", PARTITIONS, 10);
        try (var latest = server.consumer(protocol, "latest", Map.of("auto.offset.reset", "latest"));
                var none = server.consumer(protocol, "none", Map.of("auto.offset.reset", "none"))) {
            latest.subscribe(List.of("t"));
            awaitShares(Map.of(latest, 4));
            assertThat(latest.position(t(0))).isEqualTo(10);
            none.subscribe(List.of("t"));
            assertThatThrownBy(() -> awaitShares(Map.of(none, 5))).isInstanceOf(NoOffsetForPartitionException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aPatternTakesInTopicsThatComeLater(String protocol) {
        server.broker().createTopic("logs-1", 2);
        Map<String, Object> quick = Map.of("metadata.max.age.ms", 500);
        try (var consumer = server.consumer(protocol, "g", quick)) {
            if (protocol.equals("classic")) {
                consumer.subscribe(Pattern.compile("logs-.*"));
            } else {
                consumer.subscribe(new SubscriptionPattern("logs-.*"));
            }
            awaitShares(Map.of(consumer, 2));
            server.broker().createTopic("logs-2", 3);
            awaitShares(Map.of(consumer, 5));
        }
    }
}
