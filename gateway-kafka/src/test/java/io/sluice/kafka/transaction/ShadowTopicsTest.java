package io.sluice.kafka.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kafka's clients read Pulsar's shadow topics, and do nothing else with them. */
class ShadowTopicsTest {
    private static final TopicPartition AT = new TopicPartition("shadow", 0);

    private TransactionServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TransactionServer();
        Topic source = server.broker().createTopic("source", 1);
        server.broker()
                .catalogue()
                .createShadow(TopicName.ofDefault("shadow"), source, Map.of())
                .join();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private static void assertRefused(Class<? extends Exception> why, KafkaFuture<?> answer) {
        assertThatThrownBy(answer::get).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(why);
    }

    @Test
    void isReadByAGroupOfItsOwnAndNotWritten() throws Exception {
        try (KafkaProducer<String, String> producer = server.plainProducer(Map.of());
                KafkaConsumer<String, String> consumer = server.consumer(Map.of("group.id", "readers"))) {
            producer.send(new ProducerRecord<>("source", "x")).get();
            consumer.subscribe(List.of("shadow"));
            List<String> values = new ArrayList<>();
            while (values.isEmpty()) {
                consumer.poll(Duration.ofMillis(100)).forEach(each -> values.add(each.value()));
            }
            assertThat(values).containsExactly("x");
            consumer.commitSync();
            assertThatThrownBy(() ->
                            producer.send(new ProducerRecord<>("shadow", "no")).get())
                    .hasCauseInstanceOf(PolicyViolationException.class)
                    .hasMessageContaining("shadow topic");
        }
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("source", "y"));
            assertThatThrownBy(() ->
                            producer.send(new ProducerRecord<>("shadow", "no")).get())
                    .hasCauseInstanceOf(PolicyViolationException.class);
            producer.abortTransaction();
        }
        assertThat(server.read("shadow", 0, "read_committed")).containsExactly("x");
    }

    @Test
    void itsSubscriptionsAreGroupsOfIt() throws Exception {
        PartitionLog log = server.broker().partition(TopicName.ofDefault("shadow"), 0);
        server.broker().onLoop(log, () -> log.subscriptions().create("s", 0, Map.of(), Durable.IGNORED));
        try (Admin admin = server.admin()) {
            assertThat(admin.listTopics().names().get()).containsExactlyInAnyOrder("source", "shadow");
            List<String> groups = admin.listGroups().all().get().stream()
                    .map(GroupListing::groupId)
                    .toList();
            assertThat(groups).hasSize(1).allSatisfy(group -> assertThat(group).contains("shadow"));
            assertThat(admin.listConsumerGroupOffsets(groups.getFirst())
                            .partitionsToOffsetAndMetadata()
                            .get())
                    .containsOnlyKeys(AT);
        }
    }

    @Test
    void adminClientsDoNotChangeIt() throws Exception {
        try (Admin admin = server.admin()) {
            assertRefused(
                    PolicyViolationException.class,
                    admin.deleteRecords(Map.of(AT, RecordsToDelete.beforeOffset(0)))
                            .all());
            assertRefused(
                    InvalidPartitionsException.class,
                    admin.createPartitions(Map.of("shadow", NewPartitions.increaseTo(2)))
                            .all());
            assertRefused(
                    PolicyViolationException.class,
                    admin.deleteTopics(List.of("source")).all());
            admin.deleteTopics(List.of("shadow")).all().get();
            admin.deleteTopics(List.of("source")).all().get();
        }
    }
}
