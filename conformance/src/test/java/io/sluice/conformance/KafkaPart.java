package io.sluice.conformance;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** An idempotent producer for an ordinary and an elastic topic, and members of groups that commit what they have received. */
final class KafkaPart implements Application.Part {
    static final String ORDINARY = "ordinary";
    static final String ELASTIC = "elastic";

    /** Of the classic protocol, on the ordinary topic. */
    static final String GROUP = "group";
    /** Of the protocol of KIP-848, on the elastic topic. */
    static final String NEW_GROUP = "new-group";

    private final String bootstrap;
    private final Application.Books books;
    private final Application.Readers readers;
    private final KafkaProducer<String, String> producer;

    /**
     * @param id of the application
     * @param inNewGroup members of it that run here; who is killed would be waited for there for 45 s
     */
    KafkaPart(String bootstrap, int id, int inNewGroup, Application.Books books) {
        this.bootstrap = bootstrap;
        this.books = books;
        this.readers = new Application.Readers(books);
        producer = new KafkaProducer<>(
                settings(Map.of("delivery.timeout.ms", 180_000, "request.timeout.ms", 10_000)),
                new StringSerializer(),
                new StringSerializer());
        // A static member that comes back is given its partitions at once.
        join(GROUP, ORDINARY, Map.of("group.instance.id", "member-" + id, "session.timeout.ms", 10_000));
        for (int member = 0; member < inNewGroup; member++) {
            join(NEW_GROUP, ELASTIC, Map.of("group.protocol", "consumer"));
        }
    }

    private Map<String, Object> settings(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", bootstrap);
        settings.put("retry.backoff.max.ms", 200);
        settings.put("reconnect.backoff.max.ms", 200);
        return settings;
    }

    @Override
    public boolean writes(String load) {
        return load.startsWith(ORDINARY) || load.startsWith(ELASTIC);
    }

    @Override
    public void send(String load, long number) {
        String topic = load.startsWith(ORDINARY) ? ORDINARY : ELASTIC;
        producer.send(
                new ProducerRecord<>(topic, Application.key(load, number), Application.value(load, number)),
                (written, failure) -> {
                    if (failure == null) {
                        books.acknowledged(load, number, written.toString());
                    } else {
                        books.refused(load, number, failure);
                    }
                });
    }

    private void join(String group, String topic, Map<String, Object> more) {
        Map<String, Object> settings = settings(more);
        settings.put("group.id", group);
        settings.put("enable.auto.commit", false);
        settings.put("auto.offset.reset", "earliest");
        var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(topic));
        Map<TopicPartition, Long> committed = new HashMap<>();
        readers.start(group, () -> poll(group, consumer, committed), consumer::close);
    }

    private void poll(String group, KafkaConsumer<String, String> consumer, Map<TopicPartition, Long> committed) {
        ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(200));
        for (ConsumerRecord<String, String> record : records) {
            books.received(Application.Receipt.of(group, record.value()));
            var partition = new TopicPartition(record.topic(), record.partition());
            if (record.offset() < committed.getOrDefault(partition, 0L)) {
                books.wrong("%s received %s@%d after its commit of %s"
                        .formatted(group, partition, record.offset(), committed.get(partition)));
            }
        }
        if (records.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> next = records.nextOffsets();
        try {
            consumer.commitSync(next, Duration.ofSeconds(20));
            next.forEach((partition, offset) -> committed.put(partition, offset.offset()));
        } catch (RetriableException | RebalanceInProgressException e) {
            return; // the next commit covers these
        } catch (CommitFailedException e) {
            committed.clear(); // somebody else has the partitions now, perhaps for a while
        }
    }

    @Override
    public void close() {
        readers.end();
        producer.close(Duration.ofSeconds(10));
    }
}
