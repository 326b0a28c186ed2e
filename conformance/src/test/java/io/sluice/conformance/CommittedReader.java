package io.sluice.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads what is committed in a topic from its beginning, through crashes of the server, which must not take anything back. */
final class CommittedReader {
    private final String bootstrap;
    private final String topic;
    private final BiConsumer<String, String> each;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile boolean stop;

    /** @param each key and value, on a thread of the reader's own */
    CommittedReader(String bootstrap, String topic, BiConsumer<String, String> each) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.each = each;
    }

    void start() {
        Thread.ofPlatform().daemon().name("reads " + topic).start(() -> {
            try (KafkaConsumer<String, String> consumer = consumer()) {
                assign(consumer);
                while (!stop) {
                    consumer.poll(Duration.ofMillis(200)).forEach(record -> each.accept(record.key(), record.value()));
                }
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
    }

    private KafkaConsumer<String, String> consumer() {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "isolation.level",
                        "read_committed",
                        "auto.offset.reset",
                        "none",
                        "reconnect.backoff.max.ms",
                        200),
                new StringDeserializer(),
                new StringDeserializer());
    }

    private List<TopicPartition> assign(KafkaConsumer<String, String> consumer) {
        List<TopicPartition> partitions = new ArrayList<>();
        consumer.partitionsFor(topic).forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
        consumer.assign(partitions);
        partitions.forEach(partition -> consumer.seek(partition, 0));
        return partitions;
    }

    /** All that is there by now, in this thread. */
    void readToTheEnd() {
        try (KafkaConsumer<String, String> consumer = consumer()) {
            List<TopicPartition> partitions = assign(consumer);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> each.accept(record.key(), record.value()));
            }
        }
    }

    /** Fails if the consumer gave up. */
    void check() {
        if (done.isCompletedExceptionally()) {
            done.join();
        }
    }

    void finish() throws Exception {
        stop = true;
        done.get(60, TimeUnit.SECONDS);
    }
}
