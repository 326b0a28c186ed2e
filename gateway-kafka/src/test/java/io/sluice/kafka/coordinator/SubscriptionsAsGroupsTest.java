package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.SubscriptionReader;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.GroupSubscribedToTopicException;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Subscriptions as groups, for Kafka's admin client and {@code kafka-consumer-groups.sh}. */
class SubscriptionsAsGroupsTest {
    private static final String GROUP = "_sub.t/readers";
    private static final int PARTITIONS = 2;

    @TempDir
    private Path folder;

    private GroupServer server;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        server = new GroupServer();
        server.broker().createTopic("t", PARTITIONS);
        server.broker().createTopic("u", 1);
        server.produce("t", PARTITIONS, 10);
        admin = server.admin();
    }

    @AfterEach
    void stop() {
        admin.close();
        server.close();
    }

    private PartitionLog log(int partition) {
        Topic topic = Objects.requireNonNull(server.broker().catalogue().find(TopicName.ofDefault("t")));
        return Objects.requireNonNull(server.broker().partitions().find(topic, partition));
    }

    /** As Pulsar's clients make it, at the beginning of both partitions. */
    private void subscribe(String name) {
        for (int p = 0; p < PARTITIONS; p++) {
            PartitionLog log = log(p);
            server.broker().onLoop(log, () -> log.subscriptions().create(name, 0, Map.of(), Durable.IGNORED));
        }
    }

    private void acknowledge(int partition, long from, long to) {
        PartitionLog log = log(partition);
        server.broker().onLoop(log, () -> {
            cursor(log).ack(from, to, Durable.IGNORED);
            return true;
        });
    }

    private static Cursor cursor(PartitionLog log) {
        return Objects.requireNonNull(log.subscriptions().find("readers"));
    }

    private boolean isAcked(int partition, long offset) {
        PartitionLog log = log(partition);
        return server.broker().onLoop(log, () -> cursor(log).isAcked(offset));
    }

    private void connect(String... consumers) {
        PartitionLog log = log(0);
        List<SubscriptionReader> readers = Arrays.stream(consumers)
                .map(name -> new SubscriptionReader(name, "/127.0.0.1:4711", "Shared", true))
                .toList();
        server.broker().onLoop(log, () -> {
            cursor(log).setReaders(readers.isEmpty() ? null : () -> readers);
            return true;
        });
    }

    private static TopicPartition t(int partition) {
        return new TopicPartition("t", partition);
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets() throws Exception {
        return get(admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata());
    }

    private Set<String> groups(ListGroupsOptions options) throws Exception {
        return get(admin.listGroups(options).all()).stream()
                .map(GroupListing::groupId)
                .collect(Collectors.toSet());
    }

    /** Output of {@code kafka-consumer-groups.sh}. */
    private String command(String command) {
        List<String> words = new ArrayList<>(List.of("--bootstrap-server", "127.0.0.1:" + server.port()));
        words.addAll(Arrays.asList(command.split(" ")));
        PrintStream out = System.out;
        var written = new ByteArrayOutputStream();
        System.setOut(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            ConsumerGroupCommand.main(words.toArray(String[]::new));
        } finally {
            System.setOut(out);
        }
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void areListedAndDescribedWithLag() throws Exception {
        subscribe("readers");
        subscribe(Subscriptions.COMPACTION);
        acknowledge(0, 0, 3);
        acknowledge(0, 6, 7);
        acknowledge(0, 9, 9);

        assertThat(groups(ListGroupsOptions.forConsumerGroups())).containsExactly(GROUP);
        assertThat(groups(new ListGroupsOptions().inGroupStates(Set.of(GroupState.STABLE))))
                .isEmpty();
        var described = GroupAdmin.describe(admin, GROUP);
        assertThat(described.groupState()).isEqualTo(GroupState.EMPTY);
        assertThat(described.members()).isEmpty();
        assertThat(offsets())
                .containsOnly(
                        Map.entry(t(0), new OffsetAndMetadata(4, "acknowledged=3&ranges=2")),
                        Map.entry(t(1), new OffsetAndMetadata(0)));

        assertThat(command("--list").lines()).containsExactly(GROUP);
        assertThat(command("--describe --group " + GROUP).lines().map(line -> line.replaceAll(" +", " ")))
                .anyMatch(line -> line.startsWith(GROUP + " t 0 4 10 6"))
                .anyMatch(line -> line.startsWith(GROUP + " t 1 0 10 10"));
    }

    @Test
    void consumersAreMembersAndKeepItFromChanges() throws Exception {
        subscribe("readers");
        connect("a", "b");
        var described = GroupAdmin.describe(admin, GROUP);
        assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
        assertThat(described.partitionAssignor()).isEqualTo("shared");
        assertThat(described.members())
                .allSatisfy(member ->
                        assertThat(member.assignment().topicPartitions()).containsExactly(t(0)));
        assertThat(described.members())
                .extracting(member -> member.consumerId())
                .containsOnly("a", "b");
        assertThat(groups(new ListGroupsOptions().inGroupStates(Set.of(GroupState.STABLE))))
                .containsExactly(GROUP);
        assertThat(command("--describe --members --group " + GROUP)).contains("/127.0.0.1:4711");

        assertThatThrownBy(() -> get(admin.deleteConsumerGroups(List.of(GROUP)).all()))
                .hasCauseInstanceOf(GroupNotEmptyException.class);
        assertThatThrownBy(() -> get(admin.alterConsumerGroupOffsets(GROUP, Map.of(t(1), new OffsetAndMetadata(5)))
                        .all()))
                .hasCauseInstanceOf(UnknownMemberIdException.class);
        assertThatThrownBy(() -> get(
                        admin.deleteConsumerGroupOffsets(GROUP, Set.of(t(1))).all()))
                .hasRootCauseInstanceOf(GroupSubscribedToTopicException.class);
        assertThat(offsets()).containsOnlyKeys(t(0), t(1));

        connect();
        get(admin.deleteConsumerGroups(List.of(GROUP)).all());
        assertThat(offsets()).isEmpty();
        assertThat(groups(new ListGroupsOptions())).isEmpty();
    }

    @Test
    void offsetsAreSetWhichMakesTheSubscription() throws Exception {
        assertThatThrownBy(
                        () -> get(admin.describeConsumerGroups(List.of(GROUP)).all()))
                .hasCauseInstanceOf(GroupIdNotFoundException.class);
        Map<TopicPartition, OffsetAndMetadata> wanted =
                Map.of(t(0), new OffsetAndMetadata(3), t(1), new OffsetAndMetadata(99));
        get(admin.alterConsumerGroupOffsets(GROUP, wanted).all());
        assertThat(offsets())
                .containsOnly(Map.entry(t(0), new OffsetAndMetadata(3)), Map.entry(t(1), new OffsetAndMetadata(10)));

        acknowledge(0, 5, 6);
        get(admin.alterConsumerGroupOffsets(GROUP, Map.of(t(0), new OffsetAndMetadata(3)))
                .all());
        assertThat(isAcked(0, 5))
                .as("a position that is the same changes nothing")
                .isTrue();
        get(admin.alterConsumerGroupOffsets(GROUP, Map.of(t(0), new OffsetAndMetadata(2)))
                .all());
        assertThat(isAcked(0, 5)).isFalse();

        TopicPartition other = new TopicPartition("u", 0);
        assertThatThrownBy(() -> get(admin.alterConsumerGroupOffsets(GROUP, Map.of(other, new OffsetAndMetadata(0)))
                        .all()))
                .hasCauseInstanceOf(InvalidRequestException.class);
        server.restartContainers();
        assertThat(offsets()).containsEntry(t(0), new OffsetAndMetadata(2));
        get(admin.deleteConsumerGroupOffsets(GROUP, Set.of(t(1))).all());
        assertThat(offsets()).containsOnlyKeys(t(0));
    }

    @Test
    void positionsMoveBetweenAGroupAndASubscriptionByTheStockCommand() throws Exception {
        get(admin.alterConsumerGroupOffsets(
                        "old", Map.of(t(0), new OffsetAndMetadata(4), t(1), new OffsetAndMetadata(7)))
                .all());
        Path file = folder.resolve("positions.csv");
        Files.writeString(file, command("--group old --reset-offsets --to-current --all-topics --export --dry-run"));
        command("--group " + GROUP + " --reset-offsets --from-file " + file + " --execute");
        assertThat(offsets())
                .containsOnly(Map.entry(t(0), new OffsetAndMetadata(4)), Map.entry(t(1), new OffsetAndMetadata(7)));

        acknowledge(0, 4, 5);
        Files.writeString(
                file, command("--group " + GROUP + " --reset-offsets --to-current --all-topics --export --dry-run"));
        command("--group new --reset-offsets --from-file " + file + " --execute");
        assertThat(GroupAdmin.offsets(admin, "new")).containsOnly(Map.entry(t(0), 6L), Map.entry(t(1), 7L));
        command("--delete --group " + GROUP);
        assertThat(groups(new ListGroupsOptions())).containsOnly("old", "new");
    }

    @Test
    void noMemberJoinsUnderSuchAName() {
        for (String protocol : List.of("classic", "consumer")) {
            try (KafkaConsumer<String, String> consumer = server.consumer(protocol, GROUP)) {
                consumer.subscribe(List.of("t"));
                assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(20)))
                        .isInstanceOf(InvalidGroupIdException.class);
            }
        }
    }
}
