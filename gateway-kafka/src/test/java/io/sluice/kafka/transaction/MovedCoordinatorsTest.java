package io.sluice.kafka.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.Topic;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups and transactions whose coordinators' partitions move from container to container under their feet. */
@Timeout(120)
class MovedCoordinatorsTest {
    private static final int RECORDS = 300;
    private static final int MOVES = 12;
    private static final String GROUP = "copiers";
    private static final String ID = "copy";
    private static final TopicPartition FROM = new TopicPartition("from", 0);

    private final TransactionServer server;

    MovedCoordinatorsTest() throws Exception {
        server = new TransactionServer();
        server.create("from", 1);
        server.create("to", 1);
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void whatIsCopiedInTransactionsIsThereExactlyOnce() {
        try (KafkaProducer<String, String> producer = server.plainProducer(Map.of())) {
            IntStream.range(0, RECORDS).forEach(i -> producer.send(new ProducerRecord<>("from", "" + i)));
        }
        CompletableFuture<Void> moving;
        try (KafkaProducer<String, String> producer = server.producer(ID);
                KafkaConsumer<String, String> consumer =
                        server.consumer(Map.of("group.id", GROUP, "max.poll.records", 5))) {
            consumer.subscribe(List.of("from"));
            producer.initTransactions();
            moving = CompletableFuture.runAsync(this::moveAbout);
            for (int copied = 0; copied < RECORDS || !moving.isDone(); ) {
                ConsumerRecords<String, String> batch = consumer.poll(Duration.ofMillis(50));
                producer.beginTransaction();
                for (ConsumerRecord<String, String> each : batch) {
                    producer.send(new ProducerRecord<>("to", each.value()));
                }
                Map<TopicPartition, OffsetAndMetadata> upTo = new HashMap<>();
                batch.forEach(each -> upTo.put(FROM, new OffsetAndMetadata(each.offset() + 1)));
                producer.sendOffsetsToTransaction(upTo, consumer.groupMetadata());
                producer.commitTransaction();
                copied += batch.count();
            }
            moving.join();
            assertThat(consumer.committed(Set.of(FROM))).containsEntry(FROM, new OffsetAndMetadata(RECORDS));
        }
        assertThat(server.read("to", 0, "read_committed"))
                .isEqualTo(IntStream.range(0, RECORDS).mapToObj(String::valueOf).toList());
        server.restartContainers();
        try (KafkaConsumer<String, String> consumer = server.consumer(Map.of("group.id", GROUP))) {
            assertThat(consumer.committed(Set.of(FROM))).containsEntry(FROM, new OffsetAndMetadata(RECORDS));
        }
    }

    /** The partitions that the group and the transactional id belong to. */
    private void moveAbout() {
        for (int move = 0; move < MOVES; move++) {
            moveToTheOther("__consumer_offsets", GROUP);
            moveToTheOther("__transaction_state", ID);
        }
    }

    private void moveToTheOther(String topic, String id) {
        Topic found = server.topic(topic);
        int partition = Utils.abs(id.hashCode()) % found.partitions().size();
        int now = found.partitions().get(partition).container();
        server.move(topic, partition, 1 - now);
        assertThat(server.topic(topic).partitions().get(partition).container()).isEqualTo(1 - now);
    }
}
