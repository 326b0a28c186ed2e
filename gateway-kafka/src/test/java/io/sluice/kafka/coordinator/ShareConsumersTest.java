package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterShareGroupOffsetsResult;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Stock share consumers, and the stock admin client, against the gateway. Each test has a topic and a group of its own. */
class ShareConsumersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Map<String, Object> EXPLICIT = Map.of("share.acknowledgement.mode", "explicit");

    private static GroupServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new GroupServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void prepare(String name, int partitions, Map<String, String> more) throws Exception {
        server.broker().createTopic(name, partitions);
        Map<String, String> settings =
                new HashMap<>(Map.of("share.auto.offset.reset", "earliest", "share.record.lock.duration.ms", "30000"));
        settings.putAll(more);
        server.configure(name, settings);
    }

    private static KafkaShareConsumer<String, String> consumer(String name, Map<String, Object> more) {
        KafkaShareConsumer<String, String> consumer = server.shareConsumer(name, more);
        consumer.subscribe(List.of(name));
        return consumer;
    }

    private static String place(ConsumerRecord<?, ?> record) {
        return record.partition() + "-" + record.offset();
    }

    /** Polls until there are so many records; by place, with the delivery. */
    private static Map<String, Integer> read(
            KafkaShareConsumer<String, String> consumer, int count, Consumer<ConsumerRecord<String, String>> each) {
        Map<String, Integer> read = new TreeMap<>();
        await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> {
            consumer.poll(POLL).forEach(record -> {
                read.put(place(record), (int) record.deliveryCount().orElseThrow());
                each.accept(record);
            });
            return read.size() >= count;
        });
        return read;
    }

    private static Map<String, Integer> read(KafkaShareConsumer<String, String> consumer, int count) {
        return read(consumer, count, record -> {});
    }

    @Test
    void whatWasPolledIsAcknowledgedByACommit() throws Exception {
        prepare("implicit", 3, Map.of());
        server.produce("implicit", 3, 10);
        try (var consumer = consumer("implicit", Map.of())) {
            assertThat(read(consumer, 30))
                    .hasSize(30)
                    .allSatisfy((_, count) -> assertThat(count).isOne());
            consumer.commitSync();
        }
        server.produce("implicit", 3, 2);
        try (var consumer = consumer("implicit", Map.of())) {
            assertThat(read(consumer, 6).keySet())
                    .containsExactlyInAnyOrder("0-10", "0-11", "1-10", "1-11", "2-10", "2-11");
        }
    }

    @Test
    void acceptedAndRejectedRecordsAreDoneReleasedOnesComeAgain() throws Exception {
        prepare("explicit", 1, Map.of());
        server.produce("explicit", 1, 9);
        try (var consumer = consumer("explicit", EXPLICIT)) {
            AcknowledgeType[] types = {AcknowledgeType.ACCEPT, AcknowledgeType.RELEASE, AcknowledgeType.REJECT};
            read(consumer, 9, record -> consumer.acknowledge(record, types[(int) (record.offset() % 3)]));
            assertThat(consumer.commitSync())
                    .allSatisfy((_, failure) -> assertThat(failure).isEmpty());
            assertThat(read(consumer, 3, consumer::acknowledge)).isEqualTo(Map.of("0-1", 2, "0-4", 2, "0-7", 2));
            consumer.commitSync();
        }
        server.produce("explicit", 1, 1);
        try (var consumer = consumer("explicit", EXPLICIT)) {
            assertThat(read(consumer, 1, consumer::acknowledge)).isEqualTo(Map.of("0-9", 1));
        }
    }

    @Test
    void membersShareAPartitionRecordByRecord() throws Exception {
        prepare("shared", 1, Map.of());
        List<String> all = new ArrayList<>();
        try (var first = consumer("shared", Map.of("max.poll.records", 5));
                var second = consumer("shared", Map.of("max.poll.records", 5))) {
            first.poll(POLL);
            second.poll(POLL);
            for (int i = 0; i < 40; i++) {
                server.produce("shared", 1, 1);
            }
            Map<String, Integer> counts = new HashMap<>();
            await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> {
                first.poll(POLL).forEach(record -> {
                    all.add(place(record));
                    counts.merge("first", 1, Integer::sum);
                });
                second.poll(POLL).forEach(record -> {
                    all.add(place(record));
                    counts.merge("second", 1, Integer::sum);
                });
                return all.size() >= 40;
            });
            assertThat(all).doesNotHaveDuplicates().hasSize(40);
            assertThat(counts).hasSize(2);
        }
    }

    @Test
    void whatAMemberHasInHandGoesToAnotherWhenItsTimeIsUpOrItLeaves() throws Exception {
        prepare("lost", 1, Map.of("share.record.lock.duration.ms", "1000"));
        server.produce("lost", 1, 4);
        try (var slow = consumer("lost", EXPLICIT)) {
            assertThat(read(slow, 4)).hasSize(4);
            try (var other = consumer("lost", EXPLICIT)) {
                assertThat(read(other, 4))
                        .hasSize(4)
                        .allSatisfy((_, count) -> assertThat(count).isEqualTo(2));
            } // which acknowledges nothing
            try (var third = consumer("lost", EXPLICIT)) {
                assertThat(read(third, 4, third::acknowledge))
                        .hasSize(4)
                        .allSatisfy((_, count) -> assertThat(count).isEqualTo(3));
            }
        }
    }

    @Test
    void aRecordThatWasDeliveredTooOftenIsGivenToNobody() throws Exception {
        prepare("poison", 1, Map.of("share.delivery.count.limit", "2"));
        server.produce("poison", 1, 1);
        try (var consumer = consumer("poison", EXPLICIT)) {
            List<Integer> counts = new ArrayList<>();
            for (int i = 1; i <= 2; i++) {
                counts.addAll(read(consumer, 1, record -> consumer.acknowledge(record, AcknowledgeType.RELEASE))
                        .values());
                consumer.commitSync();
            }
            assertThat(counts).containsExactly(1, 2);
            server.produce("poison", 1, 1);
            assertThat(read(consumer, 1, consumer::acknowledge)).isEqualTo(Map.of("0-1", 1));
        }
    }

    @Test
    void acknowledgementsAndDeliveryCountsOutliveTheTermsOfContainers() throws Exception {
        prepare("restarted", 1, Map.of());
        server.produce("restarted", 1, 6);
        try (var consumer = consumer("restarted", EXPLICIT)) {
            read(
                    consumer,
                    6,
                    record -> consumer.acknowledge(
                            record, record.offset() % 2 == 0 ? AcknowledgeType.ACCEPT : AcknowledgeType.RELEASE));
            consumer.commitSync();

            server.restartContainers();

            assertThat(read(consumer, 3, consumer::acknowledge)).isEqualTo(Map.of("0-1", 2, "0-3", 2, "0-5", 2));
        }
    }

    /** Also where a new group begins at the end: nothing is missed. */
    @Test
    void partitionsThatATopicGetsLaterAreReadFromTheirBeginning() throws Exception {
        prepare("grown", 1, Map.of("share.auto.offset.reset", "latest"));
        server.produce("grown", 1, 1);
        try (Admin admin = server.admin();
                var consumer = consumer("grown", Map.of("metadata.max.age.ms", 300))) {
            await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> {
                consumer.poll(POLL);
                return offsets(admin, "grown").equals(Map.of(0, 1L));
            });
            admin.createPartitions(Map.of("grown", NewPartitions.increaseTo(2)))
                    .all()
                    .get();
            server.produce("grown", 2, 3);
            assertThat(read(consumer, 6).keySet()).containsExactlyInAnyOrder("0-1", "0-2", "0-3", "1-0", "1-1", "1-2");
        }
    }

    @Test
    void adminsSeeMoveAndDeleteGroups() throws Exception {
        prepare("admin", 2, Map.of());
        server.produce("admin", 2, 5);
        try (Admin admin = server.admin()) {
            try (var consumer = consumer("admin", Map.of())) {
                read(consumer, 10);
                consumer.commitSync();
                assertThat(admin.listGroups().all().get())
                        .filteredOn(group -> group.groupId().equals("admin"))
                        .extracting(GroupListing::type)
                        .containsExactly(Optional.of(GroupType.SHARE));
                ShareGroupDescription described = admin.describeShareGroups(List.of("admin"))
                        .all()
                        .get()
                        .values()
                        .iterator()
                        .next();
                assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
                assertThat(described.members()).hasSize(1);
                assertThat(described.members().iterator().next().assignment().topicPartitions())
                        .hasSize(2);
            }
            assertThat(offsets(admin, "admin")).isEqualTo(Map.of(0, 5L, 1, 5L));

            AlterShareGroupOffsetsResult altered =
                    admin.alterShareGroupOffsets("admin", Map.of(new TopicPartition("admin", 1), 3L));
            altered.all().get();
            assertThat(offsets(admin, "admin")).isEqualTo(Map.of(0, 5L, 1, 3L));
            try (var consumer = consumer("admin", Map.of())) {
                assertThat(read(consumer, 2).keySet()).containsExactlyInAnyOrder("1-3", "1-4");
            }
            admin.deleteShareGroupOffsets("admin", Set.of("admin")).all().get();
            assertThat(offsets(admin, "admin")).isEmpty();
            admin.deleteShareGroups(List.of("admin")).all().get();
            assertThat(admin.listGroups().all().get())
                    .extracting(GroupListing::groupId)
                    .doesNotContain("admin");
        }
    }

    private static Map<Integer, Long> offsets(Admin admin, String group) throws Exception {
        Map<Integer, Long> offsets = new HashMap<>();
        admin.listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec()))
                .partitionsToOffsetInfo(group)
                .get()
                .forEach((tp, info) -> {
                    if (info != null) {
                        offsets.put(tp.partition(), info.startOffset());
                    }
                });
        return offsets;
    }
}
