package io.sluice.perf.moving;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A stock producer of Kafka's client, as it is shipped. */
final class KafkaWriter implements SteadyLoad.Writer {
    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;

    /** Makes the topic. */
    KafkaWriter(String bootstrap, String topic, int partitions) throws Exception {
        this.topic = topic;
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap);
        try (var admin = org.apache.kafka.clients.admin.Admin.create(settings)) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get(1, TimeUnit.MINUTES);
        }
        producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public void send(int partition, byte[] value, Runnable acknowledged, Consumer<Throwable> failed) {
        producer.send(new ProducerRecord<>(topic, partition, null, value), (metadata, e) -> {
            if (e == null) {
                acknowledged.run();
            } else {
                failed.accept(e);
            }
        });
    }

    @Override
    public void close() {
        producer.close();
    }
}
