package io.sluice.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Kafka consumer that reads only what is committed. */
final class KafkaCommittedReader extends CommittedReader {
    private final String bootstrap;

    /** @param each key and value, on a thread of the reader's own */
    KafkaCommittedReader(String bootstrap, String topic, BiConsumer<String, String> each) {
        super(topic, each);
        this.bootstrap = bootstrap;
    }

    @Override
    void readOn() {
        try (KafkaConsumer<String, String> consumer = consumer()) {
            assign(consumer);
            while (!isStopped()) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> each.accept(record.key(), record.value()));
            }
        }
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
                        "request.timeout.ms",
                        5_000,
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

    @Override
    void readToTheEnd() {
        try (KafkaConsumer<String, String> consumer = consumer()) {
            List<TopicPartition> partitions = assign(consumer);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> each.accept(record.key(), record.value()));
            }
        }
    }
}
