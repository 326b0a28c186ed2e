package io.sluice.server.trial;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Records in and out over the Kafka protocol, by Kafka's client, as many as the server takes. */
public final class KafkaTraffic {
    private static final String TOPIC = "train";
    private static final int PARTITIONS = 32;
    private static final int BURST = 500;

    /** Bytes of a record: many in a batch, some, one. */
    private static final int[] SIZES = {100, 1_024, 16_384};

    private KafkaTraffic() {}

    /**
     * Creates the topic if it is absent, reads it from its start, writes for a while, and waits until the consumer has read as
     * much as was written, at most 15 s.
     *
     * @param bootstrap {@code host:port}
     * @param group a new one reads everything again
     */
    public static void run(String bootstrap, String group, Duration load) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", bootstrap, "group.id", group, "auto.offset.reset", "earliest", "linger.ms", "1");
        try (var admin = Admin.create(settings)) {
            var topic = new NewTopic(TOPIC, PARTITIONS, (short) 1);
            admin.createTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException secondStart) {
            if (!(secondStart.getCause() instanceof TopicExistsException)) {
                throw secondStart;
            }
        }
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
                var consumer =
                        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            var wanted = new Semaphore(0);
            long end = System.nanoTime() + load.toNanos();
            for (int sent = 0; System.nanoTime() < end; sent++) {
                // pauses now and then, so that frames of all sizes and idle turns are seen too
                producer.send(
                        new ProducerRecord<>(
                                TOPIC, sent % PARTITIONS, null, new byte[SIZES[sent / BURST % SIZES.length]]),
                        (_, _) -> wanted.release());
                if (sent % BURST == 0) {
                    consumer.poll(Duration.ofMillis(1));
                }
            }
            producer.flush();
            long deadline = System.nanoTime() + Duration.ofSeconds(15).toNanos();
            while (System.nanoTime() < deadline && wanted.availablePermits() > 0) {
                int read = consumer.poll(Duration.ofMillis(100)).count();
                wanted.tryAcquire(Math.min(read, wanted.availablePermits()));
            }
        }
    }
}
