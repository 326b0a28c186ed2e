package io.sluice.server;

import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine.Command;

/**
 * What the launcher runs once per build to make the AOT cache: a start on free ports and a temporary folder, a record in and
 * out, a second start that recovers, a stop. The JVM notes which classes that took.
 */
@Command(name = "train", hidden = true)
final class TrainCommand implements Callable<Integer> {
    private static final String FREE_PORTS = "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n";

    @Override
    public Integer call() throws Exception {
        Path folder = Files.createTempDirectory("sluice-train");
        try {
            for (int start = 0; start < 2; start++) {
                try (Standalone server =
                        Standalone.start(ConfigFile.parse(FREE_PORTS, "training"), folder, MemoryBudget.ofProcess())) {
                    Banner.of(server.listeners(), server.dataFolder());
                    recordInAndOut(server.listeners().kafka());
                }
            }
            return 0;
        } finally {
            delete(folder);
        }
    }

    private static void recordInAndOut(String bootstrap) throws Exception {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrap, "group.id", "train", "auto.offset.reset", "earliest");
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
                var consumer =
                        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            producer.send(new ProducerRecord<>("train", new byte[100])).get(30, TimeUnit.SECONDS);
            consumer.subscribe(List.of("train"));
            long deadline = System.nanoTime() + Duration.ofSeconds(15).toNanos();
            while (consumer.poll(Duration.ofMillis(100)).isEmpty() && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, java.io.IOException failure) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
