package io.sluice.server;

import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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
import picocli.CommandLine.Command;

/**
 * What the launcher runs once per build to make the AOT cache: a start on free ports and a temporary folder, records in and
 * out, a second start that recovers and reads everything again, a stop. The JVM notes which classes that took, and what their
 * methods did.
 */
@Command(name = "train", hidden = true)
final class TrainCommand implements Callable<Integer> {
    private static final String TOPIC = "train";
    private static final int PARTITIONS = 32;
    private static final int BURST = 500;

    /** Long enough for the JVM to learn which way the hot paths go, which the cache keeps too. */
    private static final Duration LOAD = Duration.ofSeconds(2);

    private static final String FREE_PORTS = "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n";

    @Override
    public Integer call() throws Exception {
        try (TemporaryFolder folder = TemporaryFolder.create("sluice-train")) {
            for (int start = 0; start < 2; start++) {
                try (Standalone server = Standalone.start(
                        ConfigFile.parse(FREE_PORTS, "training"), folder.path(), MemoryBudget.ofProcess())) {
                    Banner.of(server.listeners(), server.dataFolder());
                    recordsInAndOut(server.listeners().kafka(), "train-" + start);
                }
            }
            return 0;
        }
    }

    private static void recordsInAndOut(String bootstrap, String group) throws Exception {
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
            long end = System.nanoTime() + LOAD.toNanos();
            for (int sent = 0; System.nanoTime() < end; sent++) {
                // pauses now and then, so that frames of all sizes and idle turns are seen too
                producer.send(
                        new ProducerRecord<>(TOPIC, sent % PARTITIONS, null, new byte[1024]),
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
