package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.KafkaSide;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** The only member of a group: what it has committed is never taken back, and it is given every record behind it. */
final class CommittedOffsets {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final KafkaSide side;
    private final String topic;
    private final String group;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final AtomicLong commits = new AtomicLong();
    /** By partition, what the group has committed at least. */
    private final Map<TopicPartition, Long> committed = new HashMap<>();
    /** By partition, the offset that it is to get next. */
    private final Map<TopicPartition, Long> next = new HashMap<>();

    private volatile boolean stop;

    /** @param topic which nothing is removed from, of a producer without transactions */
    CommittedOffsets(String bootstrap, String topic) {
        this.side = new KafkaSide(bootstrap);
        this.topic = topic;
        this.group = "offsets-of-" + topic;
    }

    void start() {
        Thread.ofPlatform().daemon().name(group).start(() -> {
            try (Admin admin = side.admin();
                    KafkaConsumer<String, String> consumer = side.consumer(Map.of(
                            "group.id",
                            group,
                            "auto.offset.reset",
                            "earliest",
                            "request.timeout.ms",
                            5_000,
                            "reconnect.backoff.max.ms",
                            200))) {
                consumer.subscribe(List.of(topic));
                while (!stop) {
                    turn(admin, consumer);
                }
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
    }

    private void turn(Admin admin, KafkaConsumer<String, String> consumer) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
            var partition = new TopicPartition(record.topic(), record.partition());
            long expected = next.getOrDefault(partition, 0L);
            boolean again = record.offset() < expected && record.offset() >= committed.getOrDefault(partition, 0L);
            assertThat(again || record.offset() == expected)
                    .as("%s: got %d, next is %d, committed %s", partition, record.offset(), expected, committed)
                    .isTrue();
            next.put(partition, record.offset() + 1);
            offsets.put(partition, new OffsetAndMetadata(record.offset() + 1));
        }
        if (!offsets.isEmpty()) {
            commit(consumer, offsets);
            look(admin);
        }
    }

    private void commit(KafkaConsumer<String, String> consumer, Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            consumer.commitSync(offsets);
            offsets.forEach((partition, offset) -> committed.put(partition, offset.offset()));
            commits.incrementAndGet();
        } catch (KafkaException e) {
            // not answered in time, or the group has let go of this member meanwhile: what was read may come again
        }
    }

    private void look(Admin admin) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> found;
        try {
            found = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get();
        } catch (java.util.concurrent.ExecutionException e) {
            return; // the coordinator is away for longer than the client waits
        }
        List<String> wrong = new ArrayList<>();
        committed.forEach((partition, offset) -> {
            OffsetAndMetadata there = found.get(partition);
            if (there == null || there.offset() < offset) {
                wrong.add("%s: committed %d, there is %s".formatted(partition, offset, there));
            }
        });
        assertThat(wrong).as("what %s has committed is taken back", group).isEmpty();
    }

    /** Commits that were answered. */
    long commits() {
        if (done.isCompletedExceptionally()) {
            done.join();
        }
        return commits.get();
    }

    void finish() throws Exception {
        stop = true;
        done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
