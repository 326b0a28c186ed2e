package io.sluice.conformance;

import io.sluice.conformance.clients.KafkaSide;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;

/** All that topics hold, as {@link Application}s wrote it, by load; the order is each key's. */
final class ReadBack {
    private final Map<String, List<Long>> numbers = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();

    private void add(String value) {
        var receipt = Application.Receipt.of("read back", value);
        numbers.computeIfAbsent(receipt.load(), _ -> new ArrayList<>()).add(receipt.number());
    }

    List<Long> numbers(String load) {
        return numbers.getOrDefault(load, List.of());
    }

    /** Holes in offsets, and message ids that do not rise. */
    List<String> wrong() {
        return wrong;
    }

    /** A topic from its first offset on, each partition to its end. */
    ReadBack kafka(KafkaSide side, String topic) {
        try (KafkaConsumer<String, String> consumer = side.consumer(Map.of())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Map<TopicPartition, Long> next = new HashMap<>();
            while (!ends.entrySet().stream()
                    .allMatch(end -> next.getOrDefault(end.getKey(), 0L) >= Objects.requireNonNull(end.getValue()))) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    var partition = new TopicPartition(topic, record.partition());
                    long expected = next.getOrDefault(partition, 0L);
                    if (record.offset() != expected) {
                        wrong.add("%s: offset %d where %d is next".formatted(partition, record.offset(), expected));
                    }
                    next.put(partition, record.offset() + 1);
                    add(record.value());
                }
            }
        }
        return this;
    }

    /** A topic that is not partitioned, or one partition. */
    ReadBack pulsar(PulsarClient client, String topic) throws Exception {
        try (Reader<String> reader = client.newReader(Schema.STRING)
                .topic(topic)
                .startMessageId(MessageId.earliest)
                .create()) {
            MessageId before = MessageId.earliest;
            while (reader.hasMessageAvailable()) {
                Message<String> message = reader.readNext();
                if (message.getMessageId().compareTo(before) <= 0) {
                    wrong.add("%s: %s comes after %s".formatted(topic, message.getMessageId(), before));
                }
                before = message.getMessageId();
                add(message.getValue());
            }
        }
        return this;
    }
}
