package io.sluice.server.check;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** One record to a topic of its own and back, over the Kafka protocol; the topic is deleted whatever happens. */
final class KafkaSession implements AutoCloseable {
    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final String topic;
    private final Deadline deadline;
    private final String server;
    private final Map<String, Object> settings = new HashMap<>();
    private final Admin admin;

    private KafkaSession(Address bootstrap, String topic, Credentials credentials, Deadline deadline) {
        this.topic = topic;
        this.deadline = deadline;
        this.server = "Kafka at " + bootstrap;
        settings.putAll(credentials.kafka());
        settings.put("bootstrap.servers", bootstrap.toString());
        settings.put("client.id", "sluice-check");
        int left =
                deadline.millisLeft(); // for all the same: a producer refuses a delivery that is shorter than a request
        settings.put("request.timeout.ms", left);
        settings.put("default.api.timeout.ms", left);
        settings.put("delivery.timeout.ms", left);
        settings.put("max.block.ms", left);
        settings.put("linger.ms", 0);
        settings.put("buffer.memory", 1 << 20); // the check runs in little memory
        admin = Admin.create(settings);
    }

    /** @param topic does not exist yet */
    static void run(Address bootstrap, String topic, byte[] value, Credentials credentials, Deadline deadline)
            throws CheckException {
        try {
            // Kafka's client tries for ever to connect; a socket says at once why it cannot.
            bootstrap.connect("Kafka", deadline).close();
        } catch (IOException e) {
            throw new CheckException("cannot connect to Kafka at " + bootstrap + ": " + e.getMessage());
        }
        try (KafkaSession session = new KafkaSession(bootstrap, topic, credentials, deadline)) {
            session.run(value);
        } catch (KafkaException e) {
            throw new CheckException("Kafka at " + bootstrap + ": " + e.getMessage());
        }
    }

    private void run(byte[] value) throws CheckException {
        await(
                "create the topic " + topic,
                admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all());
        boolean passed = false;
        try {
            write(value);
            read(value);
            passed = true;
        } finally {
            delete(passed);
        }
    }

    private void write(byte[] value) throws CheckException {
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            await("write to the topic " + topic, producer.send(new ProducerRecord<>(topic, value)));
        } finally {
            producer.close(CLOSE);
        }
    }

    private void read(byte[] value) throws CheckException {
        settings.put("enable.auto.commit", false);
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            while (!deadline.isOver()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(deadline.left())) {
                    if (!Arrays.equals(record.value(), value)) {
                        throw new CheckException(server + " gave back another record than was written");
                    }
                    return;
                }
            }
            throw new CheckException(server + " did not give back the record within " + deadline.seconds() + " s");
        }
    }

    private void delete(boolean mustWork) throws CheckException {
        try {
            await(
                    "delete the topic " + topic,
                    admin.deleteTopics(List.of(topic)).all());
        } catch (CheckException e) {
            if (mustWork) { // else there is a failure before it, which says more
                throw e;
            }
        }
    }

    private <T> T await(String step, Future<T> done) throws CheckException {
        try {
            return done.get(deadline.millisLeft(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
                throw late(step);
            }
            throw new CheckException(server + ": cannot " + step + ": " + e.getCause());
        } catch (TimeoutException e) {
            throw late(step);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CheckException("interrupted");
        }
    }

    /** The client connects to what the server tells it, and does not say where it cannot. */
    private CheckException late(String step) {
        return new CheckException(server + ": could not " + step + " within " + deadline.seconds()
                + " s; it accepts connections, so see whether kafka.advertisedHost can be reached from here");
    }

    @Override
    public void close() {
        admin.close(CLOSE);
    }
}
