package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.WriteGate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A topic whose clients have gone to another cluster. */
@Timeout(60)
class MigratedTopicTest {
    private static final TopicName GONE = TopicName.ofDefault("gone");

    private static ProducerRecord<byte[], byte[]> record(String topic) {
        return new ProducerRecord<>(topic, 0, null, new byte[] {1});
    }

    @Test
    void producersHearWhyAndConsumersReadOn() throws Exception {
        WriteGate gate = WriteGate.open();
        try (TestGateway gateway = TestGateway.with(gate);
                var producer = gateway.producer(Map.of());
                var consumer = gateway.consumer(Map.of())) {
            producer.send(record("gone")).get();
            gate.decideBy(topic -> topic.equals(GONE) ? topic + " has migrated to another cluster" : null);
            assertThatThrownBy(() -> producer.send(record("gone")).get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(PolicyViolationException.class)
                    .hasMessageContaining("persistent://public/default/gone has migrated to another cluster");
            assertThat(producer.send(record("here")).get().offset()).isZero();
            TopicPartition partition = new TopicPartition("gone", 0);
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            assertThat(consumer.poll(Duration.ofSeconds(30)).count()).isOne();
            assertThat(consumer.endOffsets(List.of(partition))).containsEntry(partition, 1L);
        }
    }

    @Test
    void producersComeAgainUntilItIsKnownWhatHasMigrated() throws Exception {
        WriteGate gate = new WriteGate();
        try (TestGateway gateway = TestGateway.with(gate);
                var producer = gateway.producer(Map.of("batch.size", 0))) {
            Future<RecordMetadata> first = producer.send(record("here"));
            assertThatThrownBy(() -> first.get(500, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            gate.decideBy(topic -> null);
            assertThat(first.get(30, TimeUnit.SECONDS).offset()).isZero();
        }
    }
}
